//! Chunks give the same whoever runs them, and the right numbers.

use noli_campaign::{Campaign, MergeError, Shard, merge};
use noli_testing::Folder;
use std::path::Path;

fn campaign(text: &str) -> Campaign {
    Campaign::from_text(text, Path::new("plan.toml")).unwrap_or_else(|error| panic!("{error}"))
}

const BOXES: &str = r#"
name = "boxes"
seed = 3
count = 5000
chunk = 700
question = "QUESTION"
scene = """
[[body]]
name = "a"
box = [2, 2, 2]
[[body]]
name = "b"
box = [2, 2, 2]
"""
[draw]
kind = "poses"
body = "b"
low = [-4, -4, -4]
high = [4, 4, 4]
[histogram]
to = 4
bins = 16
"#;

fn all(campaign: &Campaign) -> Vec<Shard> {
    (0..campaign.chunks()).map(|chunk| campaign.run(chunk).unwrap()).collect()
}

#[test]
fn shares_are_what_geometry_says() {
    for question in ["overlap", "clearance"] {
        let campaign = campaign(&BOXES.replace("QUESTION", question));
        assert_eq!(campaign.chunks(), 8);
        let merged = merge(&all(&campaign)).unwrap();
        // Two cubes of edge 2 meet where all coordinates differ by at most 2: a share of (4 / 8)^3.
        assert!(merged.share.at_least < 0.125 && 0.125 < merged.share.at_most, "{merged:?}");
        assert_eq!((merged.count, merged.unknown, merged.chunks_done), (5000, 0, 8));
        assert_eq!(merged.histogram.iter().sum::<u64>(), 5000);
        let smallest = merged.smallest.unwrap();
        assert_eq!(smallest.at_most, Some(0.0));
        assert_eq!(campaign.draw(smallest.index).numbers(), smallest.draw);
        if question == "clearance" {
            assert_eq!(merged.histogram[0], merged.hits);
        }
    }
}

/// The engine that answers: a GPU, or the CPU where there is none.
#[test]
fn a_device_gives_the_same_shards() {
    for (question, margin) in [("overlap", ""), ("overlap", "margin = 0.25\nrows = true"), ("clearance", "")]
    {
        let text = BOXES.replace("QUESTION", question).replace("[draw]", &format!("{margin}\n[draw]"));
        let own = campaign(&text);
        let theirs = campaign(&text.replace("seed = 3", "seed = 3\ndevice = \"cuda\""));
        assert_eq!(own.plan_fingerprint(), theirs.plan_fingerprint());
        let bytes = |shard: &Shard| (shard.to_parquet(), shard.rows_to_parquet());
        for chunk in [0, 7] {
            let own = own.run(chunk).unwrap();
            assert_eq!(bytes(&own), bytes(&theirs.run(chunk).unwrap()));
            assert!(own.tally.hits > 0);
        }
    }
}

#[test]
fn merging_knows_no_order_and_no_repetition() {
    let campaign = campaign(&BOXES.replace("QUESTION", "clearance"));
    let mut shards = all(&campaign);
    let expected = merge(&shards).unwrap();
    shards.reverse();
    shards.push(campaign.run(3).unwrap());
    assert_eq!(merge(&shards).unwrap(), expected);
    let bytes: Vec<Vec<u8>> = shards.iter().map(Shard::to_parquet).collect();
    assert_eq!(bytes[4], bytes[8], "chunk 3 twice");
    let back: Vec<Shard> = bytes.iter().map(|bytes| Shard::from_parquet(bytes).unwrap()).collect();
    assert_eq!(merge(&back).unwrap(), expected);
    shards[0].tally.hits += 1;
    shards.push(campaign.run(7).unwrap());
    assert_eq!(merge(&shards), Err(MergeError::Conflict(7)));
    let other = self::campaign(&BOXES.replace("QUESTION", "clearance").replace("seed = 3", "seed = 4"));
    assert!(matches!(
        merge(&[campaign.run(0).unwrap(), other.run(1).unwrap()]),
        Err(MergeError::Other { .. })
    ));
    let moved = self::campaign(&BOXES.replace("QUESTION", "clearance").replace("[2, 2, 2]", "[2, 2, 3]"));
    assert!(!moved.is_own(&campaign.run(0).unwrap()) && campaign.is_own(&campaign.run(0).unwrap()));
    assert_eq!(moved.plan_fingerprint(), campaign.plan_fingerprint());
    assert_eq!(merge(&[]), Err(MergeError::Empty));
    assert!(campaign.run(8).is_err());
}

/// Each count is possible by itself; only their sum is not.
#[test]
fn shards_whose_counts_add_up_to_too_many_draws_are_refused() {
    let campaign = campaign(&BOXES.replace("QUESTION", "overlap"));
    let large = |chunk: u64| {
        let mut shard = campaign.run(chunk).unwrap();
        shard.tally.count = u64::MAX - shard.first;
        Shard::from_parquet(&shard.to_parquet()).unwrap()
    };
    assert_eq!(merge(&[large(0), large(1)]), Err(MergeError::Implausible(1)));
}

#[test]
fn chunks_do_not_depend_on_how_they_are_cut() {
    let whole = campaign(&BOXES.replace("QUESTION", "clearance").replace("chunk = 700", "chunk = 5000"));
    let cut = campaign(&BOXES.replace("QUESTION", "clearance"));
    let (a, b) = (merge(&all(&whole)).unwrap(), merge(&all(&cut)).unwrap());
    assert_eq!((a.hits, a.smallest, a.histogram), (b.hits, b.smallest, b.histogram));
}

const TOLERANCES: &str = r#"
count = 4000
chunk = 1000
rows = true
scene = """
[[body]]
name = "hole"
box = [1, 1, 1]
[[body]]
name = "peg"
box = [1, 1, 1]
pose = { xyz = [1.05, 0, 0] }
[[body]]
name = "far"
box = [1, 1, 1]
pose = { xyz = [9, 0, 0] }
"""
[draw]
kind = "deviations"
[[draw.part]]
name = "*"
shift = [0, 0, 0]
[[draw.part]]
name = "peg"
shift = [0.1, 0, 0]
"#;

#[test]
fn tolerances_have_the_probability_of_their_distribution() {
    let uniform = campaign(TOLERANCES);
    let shards = all(&uniform);
    assert_eq!(shards[0].rows.len(), 1000);
    assert!(shards[0].rows_to_parquet().unwrap().len() > 10_000);
    let merged = merge(&shards).unwrap();
    // The peg hits where it is off by -0.05 to -0.1 of ±0.1: a quarter.
    assert!(merged.share.at_least < 0.25 && 0.25 < merged.share.at_most, "{:?}", merged.share);
    assert_eq!(merged.pairs[0].pair, "hole | peg");
    assert_eq!((merged.pairs[0].hits, merged.pairs.len()), (merged.hits, 3));
    assert_eq!(merged.pairs[1].hits, 0);
    let normal =
        campaign(&TOLERANCES.replace("shift = [0.1, 0, 0]", "shift = [0.1, 0, 0]\nspread = \"normal\""));
    let merged = merge(&all(&normal)).unwrap();
    // Half a standard deviation or more below the mean.
    assert!(merged.share.at_least < 0.3085 && 0.3085 < merged.share.at_most, "{:?}", merged.share);
}

#[test]
fn paths_are_followed() {
    let text = BOXES.replace("QUESTION", "impact").replace("kind = \"poses\"", "kind = \"paths\"");
    let campaign = campaign(&text.replace("count = 5000", "count = 300"));
    let merged = merge(&all(&campaign)).unwrap();
    assert!(merged.hits > 30 && merged.hits < 300 && merged.unknown == 0, "{merged:?}");
    assert_eq!(
        merged.histogram[0],
        merge(&all(&self::campaign(
            &BOXES.replace("QUESTION", "overlap").replace("count = 5000", "count = 300"),
        )))
        .unwrap()
        .hits,
        "those that touch at the start are those of the poses"
    );
}

#[test]
fn plans_say_what_is_wrong() {
    let wrong = [
        ("count = 5000", "count = 0", "at least 1"),
        ("count = 5000", "count = 18446744073709551615", "at most 1000000000 chunks"),
        ("seed = 3", "sead = 3", "no key `sead`"),
        ("body = \"b\"", "body = \"c\"", "no body is called `c`"),
        ("high = [4, 4, 4]", "high = [4, 4]", "three numbers"),
        ("high = [4, 4, 4]", "high = [-9, 4, 4]", "no box and no shell"),
        ("kind = \"poses\"", "kind = \"paths\"", "is not checked"),
        ("kind = \"poses\"", "kind = \"configurations\"", "not drawn here"),
        ("chunk = 700", "chunk = \"x\"", "whole number"),
        ("name = \"boxes\"", "name = [", "line"),
    ];
    for (from, to, expected) in wrong {
        let text = BOXES.replace("QUESTION", "overlap");
        assert!(text.contains(from));
        match Campaign::from_text(&text.replace(from, to), Path::new("plan.toml")) {
            Ok(_) => panic!("{to} is accepted"),
            Err(error) => assert!(error.to_string().contains(expected), "{to}: {error}"),
        }
    }
}

#[test]
fn robots_are_drawn_within_limits() {
    let folder = Folder::new("campaign-robots");
    let mut urdf = String::from(
        r#"<robot name="arm"><link name="l0"><collision><geometry><sphere radius="0.2"/></geometry></collision></link>"#,
    );
    for k in 1..4 {
        urdf += &format!(
            r#"<link name="l{k}"><collision><geometry><sphere radius="0.2"/></geometry></collision></link>
            <joint name="j{k}" type="revolute"><parent link="l{}"/><child link="l{k}"/><origin xyz="0 0 0.5"/>
            <axis xyz="0 1 0"/><limit lower="-3" upper="2" effort="1" velocity="1"/></joint>"#,
            k - 1
        );
    }
    folder.file("arm.urdf", urdf + "</robot>");
    for question in ["overlap", "clearance", "impact"] {
        let text = campaign_text(question, draw_section(question));
        let campaign = Campaign::open(folder.file("plan.toml", text)).unwrap();
        let merged = merge(&all(&campaign)).unwrap();
        assert!(merged.hits > 10 && merged.hits < 390 && merged.unknown == 0, "{question}: {merged:?}");
        let draw = campaign.draw(399).numbers();
        assert!(draw.iter().all(|value| (-3.0..=2.0).contains(value)), "{draw:?}");
        if question == "impact" {
            assert!(draw[..3].iter().zip(&draw[3..]).all(|(a, b)| (a - b).abs() <= 0.5 + 1e-12), "{draw:?}");
        }
        // A device draws and counts by itself; without one the CPU does the same.
        for rows in ["", "rows = true\n", "[histogram]\nto = 1\nbins = 3\n"] {
            let text = if rows.starts_with('[') {
                format!("seed = 3\n{}{rows}", campaign_text(question, draw_section(question)))
            } else {
                format!("seed = 3\n{rows}{}", campaign_text(question, draw_section(question)))
            };
            let own = Campaign::open(folder.file("own.toml", text.clone())).unwrap();
            let device = text.replace("seed = 3", "seed = 3\ndevice = \"cuda\"");
            let theirs = Campaign::open(folder.file("device.toml", device)).unwrap();
            for chunk in 0..4 {
                let [own, theirs] = [&own, &theirs].map(|campaign| campaign.run(chunk).unwrap());
                assert_eq!(own.to_parquet(), theirs.to_parquet(), "{question} {rows}");
                assert_eq!(own.rows_to_parquet(), theirs.rows_to_parquet());
            }
        }
    }
}

fn draw_section(question: &str) -> &str {
    if question == "impact" { "[draw]\nkind = \"paths\"\nreach = 0.5\n" } else { "" }
}

fn campaign_text(question: &str, draw: &str) -> String {
    format!("count = 400\nchunk = 100\nquestion = \"{question}\"\nrobot = \"arm.urdf\"\n{draw}")
}

/// Numbers that must never change: shards of years ago are added to those of today, and those of other machines.
#[test]
fn draws_are_what_they_were() {
    let plan = |draw: &str| {
        let bodies = BOXES.split("scene = ").nth(1).and_then(|rest| rest.split("[draw]").next()).unwrap();
        campaign(&format!("seed = 42\ncount = 2_000_000_000\nscene = {bodies}[draw]\n{draw}"))
    };
    let bits = |campaign: &Campaign| -> Vec<u64> {
        campaign.draw(1_000_000_007).numbers().into_iter().map(f64::to_bits).collect()
    };
    let poses = plan("kind = \"poses\"\nbody = \"b\"\nreach = [1, 3]\nturn = \"any\"");
    assert_eq!(
        bits(&poses),
        [
            0x3fd5_09af_bc8e_afa7,
            0x3ffe_9c6b_9b0d_c586,
            0xbff0_54db_aded_3931,
            0x3fe0_6bdd_5a36_d127,
            0x3fe7_33ab_7fd2_6206,
            0xbf9b_a8e2_aced_b1ef,
            0x3fdd_580e_2279_e2d1,
        ]
    );
    let part = "name = \"b\"\nshift = [1, 1, 1]\nturn_deg = [1, 0, 0]\nspread = \"normal\"";
    let deviations = plan(&format!("kind = \"deviations\"\n[[draw.part]]\n{part}"));
    assert_eq!(
        bits(&deviations)[7..],
        [
            0x3fe1_faea_61fd_554c,
            0x3fd9_7386_68d8_e10f,
            0xbfd7_a08f_66ae_6236,
            0x3f9b_1be3_84e8_f9d8,
            0,
            0,
            0x3fef_fd20_f9fe_a0ad,
        ]
    );
}
