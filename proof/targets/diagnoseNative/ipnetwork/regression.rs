use ipnetwork::Ipv4Network;
use std::net::Ipv4Addr;

fn network(text: &str) -> Ipv4Network {
    text.parse().unwrap()
}

#[test]
fn addresses_are_numbered() {
    assert_eq!(network("10.1.0.0/16").nth(257), Some(Ipv4Addr::new(10, 1, 1, 1)));
    assert_eq!(network("10.1.2.3/32").nth(1), None);
}

#[test]
fn members_are_known() {
    assert!(network("10.0.0.0/8").contains(Ipv4Addr::new(10, 2, 3, 4)));
    assert!(!network("10.0.0.0/8").contains(Ipv4Addr::new(11, 2, 3, 4)));
}

#[test]
fn ends_are_known() {
    assert_eq!(network("10.1.2.3/24").broadcast(), Ipv4Addr::new(10, 1, 2, 255));
    assert_eq!(network("0.0.0.0/0").network(), Ipv4Addr::new(0, 0, 0, 0));
}

// ipnetwork 0.21.0: "fix for 0.0.0.0/0 network" (#199).
#[test]
fn all_addresses_are_numbered() {
    let address = network("0.0.0.0/0").nth(256);
    assert_eq!(address, Some(Ipv4Addr::new(0, 0, 1, 0)));
}
