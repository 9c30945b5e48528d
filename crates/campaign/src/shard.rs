//! Results of a chunk as Parquet: one row for a shard, whose lists are columns of lists.

use crate::parquet::{self, Cells, Column, MAGIC, Pages, Shape};

/// The draw that a smallest value belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Its number.
    pub index: u64,
    /// A lower bound on the clearance or the time.
    pub at_least: f64,
    /// An upper bound.
    pub at_most: f64,
    /// The draw itself; see [`Draw::numbers`](crate::Draw::numbers).
    pub numbers: Vec<f64>,
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The draw.
    pub index: u64,
    /// `true` if any pair collides; `None` if undecided.
    pub hit: Option<bool>,
    /// A lower bound on the clearance or the time.
    pub at_least: f64,
    /// An upper bound.
    pub at_most: f64,
}

/// Summary of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of draws.
    pub count: u64,
    /// Number of hits among them.
    pub hits: u64,
    /// Of how many nothing is proven.
    pub unknown: u64,
    /// The draw with the smallest upper bound, of several the first. For the question `overlap` the first hit.
    pub smallest: Option<Witness>,
    /// Histogram of clearances or times; empty if they are not counted.
    pub histogram: Vec<u64>,
    /// Number of hits of each pair, in the order of the names; empty unless bodies deviate.
    pub pair_hits: Vec<u64>,
}

impl Tally {
    /// Adds what comes after. Counts beyond 2^64 stay there.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.hits = self.hits.saturating_add(other.hits);
        self.unknown = self.unknown.saturating_add(other.unknown);
        add_all(&mut self.histogram, &other.histogram);
        add_all(&mut self.pair_hits, &other.pair_hits);
        if let Some(theirs) = &other.smallest {
            let key = |witness: &Witness| (witness.at_most, witness.index);
            if self.smallest.as_ref().is_none_or(|ours| key(theirs) < key(ours)) {
                self.smallest = Some(theirs.clone());
            }
        }
    }
}

fn add_all(to: &mut Vec<u64>, from: &[u64]) {
    if to.len() < from.len() {
        to.resize(from.len(), 0);
    }
    to.iter_mut().zip(from).for_each(|(to, from)| *to = to.saturating_add(*from));
}

/// Results of one chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// Name of the campaign.
    pub name: String,
    /// Fingerprint of the plan.
    pub plan: String,
    /// Fingerprint of the models.
    pub models: String,
    /// Version of noli.
    pub version: String,
    /// Seed of the draws.
    pub seed: u64,
    /// Number of the chunk.
    pub chunk: u64,
    /// Of how many.
    pub chunks: u64,
    /// Its first draw.
    pub first: u64,
    /// Summary of results.
    pub tally: Tally,
    /// The names of the pairs that [`Tally::pair_hits`] counts, as `a | b`.
    pub pairs: Vec<String>,
    /// Every answer, if they are kept.
    pub rows: Vec<Row>,
}

/// Reason that bytes are an invalid shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not Parquet, or cut short.
    #[error("the shard cannot be read: it is no Parquet file, or was cut short; run its chunk again")]
    Broken,
    /// Parquet of something else, or changed since it was written.
    #[error("the file is no shard of a campaign, or was changed; run its chunk again")]
    Foreign,
    /// Counts that no chunk can have.
    #[error("the counts of the shard contradict each other; run its chunk again")]
    Implausible,
}

fn column(name: &'static str, cells: Cells) -> Column {
    Column { name, shape: Shape::Each, cells }
}

fn text(name: &'static str, text: &str) -> Column {
    column(name, Cells::Texts(vec![text.to_owned()]))
}

fn long(name: &'static str, number: u64) -> Column {
    column(name, Cells::Longs(vec![number]))
}

fn optional(name: &'static str, there: bool, cells: Cells) -> Column {
    Column { name, shape: Shape::Maybe(vec![there]), cells }
}

fn list(name: &'static str, cells: Cells) -> Column {
    Column { name, shape: Shape::List, cells }
}

impl Shard {
    /// The shard as a Parquet file of one row, without [`rows`](Self::rows): the same bytes for the same shard.
    pub fn to_parquet(&self) -> Vec<u8> {
        let tally = &self.tally;
        let witness = tally.smallest.as_ref();
        let there = witness.is_some();
        let doubles = |end: fn(&Witness) -> f64| Cells::Doubles(witness.map(end).into_iter().collect());
        let columns = [
            text("name", &self.name),
            text("plan", &self.plan),
            text("models", &self.models),
            text("version", &self.version),
            long("seed", self.seed),
            long("chunk", self.chunk),
            long("chunks", self.chunks),
            long("first", self.first),
            long("count", tally.count),
            long("hits", tally.hits),
            long("unknown", tally.unknown),
            optional(
                "witness_index",
                there,
                Cells::Longs(witness.map(|one| one.index).into_iter().collect()),
            ),
            optional("smallest_at_least", there, doubles(|one| one.at_least)),
            optional("smallest_at_most", there, doubles(|one| one.at_most)),
            list("witness", Cells::Doubles(witness.map_or(Vec::new(), |one| one.numbers.clone()))),
            list("histogram", Cells::Longs(tally.histogram.clone())),
            list("pair_hits", Cells::Longs(tally.pair_hits.clone())),
            list("pairs", Cells::Texts(self.pairs.clone())),
        ];
        parquet::write("shard", &self.made_by(), 1, &columns)
    }

    /// The rows as a Parquet file of their own; `None` if none are kept.
    pub fn rows_to_parquet(&self) -> Option<Vec<u8>> {
        if self.rows.is_empty() {
            return None;
        }
        let doubles = |end: fn(&Row) -> f64| Cells::Doubles(self.rows.iter().map(end).collect());
        let known = Shape::Maybe(self.rows.iter().map(|row| row.hit.is_some()).collect());
        let hits = Cells::Flags(self.rows.iter().filter_map(|row| row.hit).collect());
        let columns = [
            column("index", Cells::Longs(self.rows.iter().map(|row| row.index).collect())),
            Column { name: "hit", shape: known, cells: hits },
            column("at_least", doubles(|row| row.at_least)),
            column("at_most", doubles(|row| row.at_most)),
        ];
        Some(parquet::write("rows", &self.made_by(), self.rows.len(), &columns))
    }

    fn made_by(&self) -> String {
        format!("noli {}", self.version)
    }

    /// Reads back what [`to_parquet`](Self::to_parquet) wrote, and nothing else; the rows, which are a file of their
    /// own, are not read.
    pub fn from_parquet(bytes: &[u8]) -> Result<Self, ShardError> {
        if !bytes.ends_with(MAGIC) {
            return Err(ShardError::Broken);
        }
        let mut pages = Pages::new(bytes).ok_or(ShardError::Broken)?;
        let shard = Self::read(&mut pages).ok_or(ShardError::Foreign)?;
        // Written again it has the checksum of what was read: one flipped bit anywhere makes a difference.
        if shard.to_parquet() != bytes {
            return Err(ShardError::Foreign);
        }
        if shard.is_plausible() { Ok(shard) } else { Err(ShardError::Implausible) }
    }

    /// Returns `true` if its counts can be those of one chunk.
    pub fn is_plausible(&self) -> bool {
        let Tally { count, hits, unknown, smallest, histogram, pair_hits } = &self.tally;
        let sum = |list: &[u64]| list.iter().try_fold(0u64, |sum, &more| sum.checked_add(more));
        let Some(end) = self.first.checked_add(*count) else { return false };
        self.chunk < self.chunks
            && hits.checked_add(*unknown).is_some_and(|known| known <= *count)
            && sum(histogram).is_some_and(|sum| sum <= *count)
            && pair_hits.len() <= self.pairs.len()
            && pair_hits.iter().all(|pair| pair <= hits)
            && smallest.as_ref().is_none_or(|one| (self.first..end).contains(&one.index))
    }

    /// In the order in which they are written.
    fn read(pages: &mut Pages<'_>) -> Option<Self> {
        let [name, plan, models, version] = [pages.text()?, pages.text()?, pages.text()?, pages.text()?];
        let [seed, chunk, chunks, first] = [pages.long()?, pages.long()?, pages.long()?, pages.long()?];
        let [count, hits, unknown] = [pages.long()?, pages.long()?, pages.long()?];
        let index = pages.longs(1)?;
        let [at_least, at_most, numbers] = [pages.doubles(1)?, pages.doubles(1)?, pages.doubles(2)?];
        let smallest = match (&index[..], &at_least[..], &at_most[..]) {
            (&[index], &[at_least], &[at_most]) => Some(Witness { index, at_least, at_most, numbers }),
            _ => None,
        };
        let [histogram, pair_hits] = [pages.longs(2)?, pages.longs(2)?];
        let pairs = pages.texts(2)?;
        let tally = Tally { count, hits, unknown, smallest, histogram, pair_hits };
        Some(Self { name, plan, models, version, seed, chunk, chunks, first, tally, pairs, rows: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Row as ParquetRow, RowAccessor};
    use ::parquet::schema::printer::print_schema;
    use bytes::Bytes;

    fn shard() -> Shard {
        let smallest = Witness { index: 11, at_least: 0.25, at_most: 0.5, numbers: vec![1.0, -2.5] };
        let tally = Tally {
            count: 10,
            hits: 3,
            unknown: 1,
            smallest: Some(smallest),
            histogram: vec![3, 4, 2],
            pair_hits: vec![1, 2],
        };
        Shard {
            name: "pins".into(),
            plan: "0a".into(),
            models: "0b".into(),
            version: crate::VERSION.into(),
            seed: u64::MAX,
            chunk: 1,
            chunks: 3,
            first: 10,
            tally,
            pairs: vec!["a | b".into(), "a | c".into()],
            rows: Vec::new(),
        }
    }

    fn bare() -> Shard {
        let tally = Tally { count: 10, ..Tally::default() };
        Shard { tally, pairs: Vec::new(), ..shard() }
    }

    #[test]
    fn shards_survive_parquet() {
        for shard in [shard(), bare()] {
            let bytes = shard.to_parquet();
            assert_eq!(bytes, shard.to_parquet());
            assert_eq!(Shard::from_parquet(&bytes).unwrap(), shard);
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        let bytes = shard().to_parquet();
        for cut in 0..bytes.len() {
            assert!(Shard::from_parquet(&bytes[..cut]).is_err());
        }
        // Whatever bit is another, the shard is refused.
        let mut changed = bytes.clone();
        for k in 0..bytes.len() {
            changed[k] ^= 1 << (k * 5 % 8);
            assert!(Shard::from_parquet(&changed).is_err(), "byte {k}");
            changed[k] = bytes[k];
        }
        let mut with_rows = shard();
        with_rows.rows = vec![Row { index: 1, hit: None, at_least: 0.0, at_most: f64::INFINITY }];
        let rows = with_rows.rows_to_parquet().unwrap();
        assert_eq!(Shard::from_parquet(&rows), Err(ShardError::Foreign));
    }

    #[test]
    fn counts_that_contradict_each_other_are_refused() {
        let change: [fn(&mut Shard); 7] = [
            |shard| shard.tally.hits = 1 << 56,
            |shard| shard.tally.unknown = 8,
            |shard| shard.tally.histogram[0] = u64::MAX,
            |shard| shard.tally.pair_hits[1] = 4,
            |shard| shard.pairs.clear(),
            |shard| shard.chunk = shard.chunks,
            |shard| shard.first = u64::MAX,
        ];
        for (number, change) in change.iter().enumerate() {
            let mut shard = shard();
            change(&mut shard);
            assert_eq!(Shard::from_parquet(&shard.to_parquet()), Err(ShardError::Implausible), "{number}");
        }
    }

    fn read_by_others(bytes: Vec<u8>) -> (String, Vec<ParquetRow>) {
        let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
        let about = reader.metadata().file_metadata();
        assert_eq!(about.created_by(), Some(&*format!("noli {}", crate::VERSION)));
        let mut schema = Vec::new();
        print_schema(&mut schema, about.schema());
        let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
        (String::from_utf8(schema).unwrap(), rows)
    }

    /// The schemas, in the notation of the format.
    const SHARD: &str = "message shard {
  REQUIRED BYTE_ARRAY name (STRING);
  REQUIRED BYTE_ARRAY plan (STRING);
  REQUIRED BYTE_ARRAY models (STRING);
  REQUIRED BYTE_ARRAY version (STRING);
  REQUIRED INT64 seed;
  REQUIRED INT64 chunk;
  REQUIRED INT64 chunks;
  REQUIRED INT64 first;
  REQUIRED INT64 count;
  REQUIRED INT64 hits;
  REQUIRED INT64 unknown;
  OPTIONAL INT64 witness_index;
  OPTIONAL DOUBLE smallest_at_least;
  OPTIONAL DOUBLE smallest_at_most;
  REQUIRED group witness (LIST) {
    REPEATED group list {
      REQUIRED DOUBLE element;
    }
  }
  REQUIRED group histogram (LIST) {
    REPEATED group list {
      REQUIRED INT64 element;
    }
  }
  REQUIRED group pair_hits (LIST) {
    REPEATED group list {
      REQUIRED INT64 element;
    }
  }
  REQUIRED group pairs (LIST) {
    REPEATED group list {
      REQUIRED BYTE_ARRAY element (STRING);
    }
  }
}
";
    const ROWS: &str = "message rows {
  REQUIRED INT64 index;
  OPTIONAL BOOLEAN hit;
  REQUIRED DOUBLE at_least;
  REQUIRED DOUBLE at_most;
}
";

    #[test]
    fn others_read_shards() {
        let (schema, rows) = read_by_others(shard().to_parquet());
        assert_eq!(schema, SHARD);
        assert_eq!(rows.len(), 1);
        let (row, shard) = (&rows[0], shard());
        let texts: Vec<&String> = (0..4).map(|k| row.get_string(k).unwrap()).collect();
        assert_eq!(texts, [&shard.name, &shard.plan, &shard.models, &shard.version]);
        let longs: Vec<i64> = (4..12).map(|k| row.get_long(k).unwrap()).collect();
        assert_eq!(longs, [-1, 1, 3, 10, 10, 3, 1, 11]);
        assert_eq!([row.get_double(12).unwrap(), row.get_double(13).unwrap()], [0.25, 0.5]);
        let lists: Vec<String> =
            (14..18).map(|k| format!("{:?}", row.get_list(k).unwrap().elements())).collect();
        assert_eq!(
            lists,
            [
                "[Double(1.0), Double(-2.5)]",
                "[Long(3), Long(4), Long(2)]",
                "[Long(1), Long(2)]",
                "[Str(\"a | b\"), Str(\"a | c\")]"
            ]
        );
        let (_, rows) = read_by_others(bare().to_parquet());
        assert_eq!(rows.len(), 1);
        assert!((11..14).all(|k| rows[0].is_null(k).unwrap()));
        assert!((14..18).all(|k| rows[0].get_list(k).unwrap().elements().is_empty()));
    }

    /// More than fit on two pages, with all kinds of runs.
    #[test]
    fn others_read_rows() {
        let hit = |k: u64| [None, Some(true), Some(false)][(k * k / 7 % 3) as usize];
        let row = |k: u64| Row { index: u64::MAX - k, hit: hit(k), at_least: -0.0, at_most: k as f64 / 3.0 };
        for count in [1, 7, 9, 150_001] {
            let shard = Shard { rows: (0..count).map(row).collect(), ..shard() };
            let (schema, rows) = read_by_others(shard.rows_to_parquet().unwrap());
            assert_eq!(schema, ROWS);
            assert_eq!(rows.len(), shard.rows.len());
            for (theirs, ours) in rows.iter().zip(&shard.rows) {
                assert_eq!(theirs.get_long(0).unwrap().cast_unsigned(), ours.index);
                assert_eq!(theirs.is_null(1).unwrap(), ours.hit.is_none());
                assert_eq!(theirs.get_bool(1).ok(), ours.hit);
                assert_eq!(theirs.get_double(2).unwrap().to_bits(), ours.at_least.to_bits());
                assert_eq!(theirs.get_double(3).unwrap(), ours.at_most);
            }
        }
    }
}
