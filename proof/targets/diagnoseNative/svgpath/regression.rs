use svgtypes::{SimplePathSegment, SimplifyingPathParser};

fn controls(path: &str) -> Vec<(f64, f64)> {
    SimplifyingPathParser::from(path)
        .filter_map(|segment| match segment.unwrap() {
            SimplePathSegment::CurveTo { x1, y1, .. } => Some((x1.round(), y1.round())),
            _ => None,
        })
        .collect()
}

fn count(path: &str) -> usize {
    SimplifyingPathParser::from(path).count()
}

#[test]
fn lines_are_read() {
    assert_eq!(count("M 10 20 L 30 40 H 50 V 60 Z"), 5);
}

#[test]
fn curves_are_read() {
    assert_eq!(controls("M 10 20 C 30 40 50 60 70 80"), [(30.0, 40.0)]);
}

#[test]
fn smooth_ones_go_on() {
    assert_eq!(controls("M 0 0 C 0 10 10 10 20 0 S 30 10 40 0")[1], (30.0, -10.0));
}

// svgtypes 0.15.2: "Path parsing with `S` or `T` segments after `A`. Was broken since v0.12".
#[test]
fn behind_an_arc_a_smooth_one_begins_where_it_stands() {
    let all = controls("M 0 0 A 10 10 0 0 1 20 0 S 30 10 40 0");
    assert_eq!(all.last(), Some(&(20.0, 0.0)));
}
