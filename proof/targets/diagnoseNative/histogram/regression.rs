use hdrhistogram::Histogram;

// hdrhistogram 7.5.3: "Fix record iteration when recording only zeros".
#[test]
fn zeros_are_recorded_too() {
    let mut histogram = Histogram::<u64>::new_with_bounds(1, 100, 1).unwrap();
    histogram.record(0).unwrap();
    histogram.record(0).unwrap();
    let counts: Vec<u64> = histogram.iter_recorded().map(|one| one.count_at_value()).collect();
    assert_eq!(counts, vec![2]);
}
