extern crate rangemap;

use rangemap::RangeMap;

// rangemap 1.0.1: "Fix empty gaps returned by Gaps iterator for RangeMap".
#[test]
fn touching_ranges_leave_no_gap() {
    let mut map: RangeMap<u32, bool> = RangeMap::new();
    map.insert(4..5, true);
    map.insert(3..4, false);
    let outer = 1..8;
    let free: Vec<u32> = map.gaps(&outer).map(|gap| gap.end - gap.start).collect();
    assert_eq!(free, vec![2, 3]);
}
