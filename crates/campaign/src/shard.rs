//! What a chunk comes to, as Parquet: one row for a shard, whose lists are columns of lists.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{ListAccessor, Row as ParquetRow, RowAccessor};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The draw that a smallest value belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Its number.
    pub index: u64,
    /// A lower bound on the gap or the time.
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
    /// Whether something meets; `None` if that is not known.
    pub hit: Option<bool>,
    /// A lower bound on the gap or the time.
    pub at_least: f64,
    /// An upper bound.
    pub at_most: f64,
}

/// What answers come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many draws.
    pub count: u64,
    /// How many of them hit.
    pub hits: u64,
    /// Of how many nothing is proven.
    pub unknown: u64,
    /// The draw with the smallest upper bound, of several the first. For the question `overlap` the first hit.
    pub smallest: Option<Witness>,
    /// How many gaps or times fall where; empty if they are not counted.
    pub histogram: Vec<u64>,
    /// How often each pair hits, in the order of the names; empty unless bodies deviate.
    pub pair_hits: Vec<u64>,
}

impl Tally {
    /// Adds what comes after.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.hits += other.hits;
        self.unknown += other.unknown;
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
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// What one chunk comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// What the campaign is called.
    pub name: String,
    /// Fingerprint of the plan.
    pub plan: String,
    /// Fingerprint of the models.
    pub models: String,
    /// Version of noli.
    pub version: String,
    /// What draws come from.
    pub seed: u64,
    /// Which chunk.
    pub chunk: u64,
    /// Of how many.
    pub chunks: u64,
    /// Its first draw.
    pub first: u64,
    /// What answers come to.
    pub tally: Tally,
    /// The names of the pairs that [`Tally::pair_hits`] counts, as `a | b`.
    pub pairs: Vec<String>,
    /// Every answer, if they are kept.
    pub rows: Vec<Row>,
}

/// Why bytes are no shard.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Not Parquet, or cut short.
    #[error("the shard cannot be read: {0}; run its chunk again")]
    Parquet(#[from] ParquetError),
    /// Parquet of something else.
    #[error("the file is no shard of a campaign: {0}")]
    Foreign(String),
}

const SCHEMA: &str = "
    message shard {
        required binary name (UTF8);
        required binary plan (UTF8);
        required binary models (UTF8);
        required binary version (UTF8);
        required int64 seed;
        required int64 chunk;
        required int64 chunks;
        required int64 first;
        required int64 count;
        required int64 hits;
        required int64 unknown;
        optional int64 witness_index;
        optional double smallest_at_least;
        optional double smallest_at_most;
        required group witness (LIST) { repeated group list { required double element; } }
        required group histogram (LIST) { repeated group list { required int64 element; } }
        required group pair_hits (LIST) { repeated group list { required int64 element; } }
        required group pairs (LIST) { repeated group list { required binary element (UTF8); } }
    }";

const ROWS_SCHEMA: &str = "
    message rows {
        required int64 index;
        optional boolean hit;
        required double at_least;
        required double at_most;
    }";

fn writer(schema: &str) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let schema = Arc::new(parse_message_type(schema)?);
    // Plain and without statistics: small, and the same bytes from every version of the writer that can be had.
    let properties = WriterProperties::builder()
        .set_created_by(format!("noli {}", crate::VERSION))
        .set_encoding(Encoding::PLAIN)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .build();
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    definition: Option<&[i16]>,
    repetition: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut writer =
        group.next_column()?.ok_or_else(|| ParquetError::General("a column too many".to_owned()))?;
    writer.typed::<T>().write_batch(values, definition, repetition)?;
    writer.close()
}

fn texts(group: &mut Group<'_>, text: &str) -> Result<(), ParquetError> {
    column::<ByteArrayType>(group, &[ByteArray::from(text)], None, None)
}

fn long(group: &mut Group<'_>, number: u64) -> Result<(), ParquetError> {
    column::<Int64Type>(group, &[number.cast_signed()], None, None)
}

/// One list, which may be empty.
fn list<T: DataType>(group: &mut Group<'_>, values: &[T::T]) -> Result<(), ParquetError> {
    if values.is_empty() {
        return column::<T>(group, &[], Some(&[0]), Some(&[0]));
    }
    let definition = vec![1; values.len()];
    let repetition: Vec<i16> = (0..values.len()).map(|k| i16::from(k > 0)).collect();
    column::<T>(group, values, Some(&definition), Some(&repetition))
}

fn longs(group: &mut Group<'_>, values: &[u64]) -> Result<(), ParquetError> {
    list::<Int64Type>(group, &values.iter().map(|value| value.cast_signed()).collect::<Vec<_>>())
}

fn optional<T: DataType>(group: &mut Group<'_>, value: Option<T::T>) -> Result<(), ParquetError> {
    match value {
        Some(value) => column::<T>(group, &[value], Some(&[1]), None),
        None => column::<T>(group, &[], Some(&[0]), None),
    }
}

impl Shard {
    /// The shard as a Parquet file of one row, without [`rows`](Self::rows): the same bytes for the same shard.
    pub fn to_parquet(&self) -> Result<Vec<u8>, ShardError> {
        let mut file = writer(SCHEMA)?;
        let mut group = file.next_row_group()?;
        for text in [&self.name, &self.plan, &self.models, &self.version] {
            texts(&mut group, text)?;
        }
        let tally = &self.tally;
        for number in [self.seed, self.chunk, self.chunks, self.first, tally.count, tally.hits, tally.unknown]
        {
            long(&mut group, number)?;
        }
        let witness = tally.smallest.as_ref();
        optional::<Int64Type>(&mut group, witness.map(|witness| witness.index.cast_signed()))?;
        optional::<DoubleType>(&mut group, witness.map(|witness| witness.at_least))?;
        optional::<DoubleType>(&mut group, witness.map(|witness| witness.at_most))?;
        list::<DoubleType>(&mut group, witness.map_or(&[], |witness| &witness.numbers[..]))?;
        longs(&mut group, &tally.histogram)?;
        longs(&mut group, &tally.pair_hits)?;
        let pairs: Vec<ByteArray> = self.pairs.iter().map(|pair| ByteArray::from(pair.as_str())).collect();
        list::<ByteArrayType>(&mut group, &pairs)?;
        group.close()?;
        Ok(file.into_inner()?)
    }

    /// The rows as a Parquet file of their own; `None` if none are kept.
    pub fn rows_to_parquet(&self) -> Result<Option<Vec<u8>>, ShardError> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let mut file = writer(ROWS_SCHEMA)?;
        let mut group = file.next_row_group()?;
        let indices: Vec<i64> = self.rows.iter().map(|row| row.index.cast_signed()).collect();
        column::<Int64Type>(&mut group, &indices, None, None)?;
        let known: Vec<bool> = self.rows.iter().filter_map(|row| row.hit).collect();
        let levels: Vec<i16> = self.rows.iter().map(|row| i16::from(row.hit.is_some())).collect();
        column::<BoolType>(&mut group, &known, Some(&levels), None)?;
        for end in [|row: &Row| row.at_least, |row: &Row| row.at_most] {
            column::<DoubleType>(&mut group, &self.rows.iter().map(end).collect::<Vec<_>>(), None, None)?;
        }
        group.close()?;
        Ok(Some(file.into_inner()?))
    }

    /// Reads a shard back; its rows, which are a file of their own, are not.
    pub fn from_parquet(bytes: Vec<u8>) -> Result<Self, ShardError> {
        let reader = SerializedFileReader::new(Bytes::from(bytes))?;
        let expected = parse_message_type(SCHEMA)?;
        let found = reader.metadata().file_metadata().schema();
        if found.get_fields().len() != expected.get_fields().len()
            || found.get_fields().iter().zip(expected.get_fields()).any(|(a, b)| a.name() != b.name())
        {
            return Err(ShardError::Foreign("it has other columns".to_owned()));
        }
        let mut rows = reader.get_row_iter(None)?;
        let Some(row) = rows.next().transpose()? else {
            return Err(ShardError::Foreign("it is empty".to_owned()));
        };
        let text = |k: usize| row.get_string(k).cloned();
        let number = |k: usize| row.get_long(k).map(i64::cast_unsigned);
        let longs = |row: &ParquetRow, k: usize| -> Result<Vec<u64>, ParquetError> {
            let list = row.get_list(k)?;
            (0..list.len()).map(|i| list.get_long(i).map(i64::cast_unsigned)).collect()
        };
        let witness = row.get_list(14)?;
        let numbers: Vec<f64> =
            (0..witness.len()).map(|i| witness.get_double(i)).collect::<Result<_, _>>()?;
        // A value that is not there is no long.
        let smallest = match number(11) {
            Ok(index) => {
                Some(Witness { index, at_least: row.get_double(12)?, at_most: row.get_double(13)?, numbers })
            }
            Err(_) => None,
        };
        let pairs = row.get_list(17)?;
        let pairs = (0..pairs.len()).map(|i| pairs.get_string(i).cloned()).collect::<Result<_, _>>()?;
        Ok(Self {
            name: text(0)?,
            plan: text(1)?,
            models: text(2)?,
            version: text(3)?,
            seed: number(4)?,
            chunk: number(5)?,
            chunks: number(6)?,
            first: number(7)?,
            tally: Tally {
                count: number(8)?,
                hits: number(9)?,
                unknown: number(10)?,
                smallest,
                histogram: longs(&row, 15)?,
                pair_hits: longs(&row, 16)?,
            },
            pairs,
            rows: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn shards_survive_parquet() {
        let mut bare = shard();
        bare.tally = Tally { count: 10, ..Tally::default() };
        bare.pairs.clear();
        for shard in [shard(), bare] {
            let bytes = shard.to_parquet().unwrap();
            assert_eq!(bytes, shard.to_parquet().unwrap());
            assert_eq!(Shard::from_parquet(bytes).unwrap(), shard);
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        let bytes = shard().to_parquet().unwrap();
        for cut in [0, 4, bytes.len() / 2, bytes.len() - 1] {
            assert!(Shard::from_parquet(bytes[..cut].to_vec()).is_err());
        }
        let mut with_rows = shard();
        with_rows.rows = vec![Row { index: 1, hit: None, at_least: 0.0, at_most: f64::INFINITY }];
        let rows = with_rows.rows_to_parquet().unwrap().unwrap();
        assert!(matches!(Shard::from_parquet(rows), Err(ShardError::Foreign(_))));
    }
}
