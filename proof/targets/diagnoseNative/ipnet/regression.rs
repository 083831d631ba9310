extern crate ipnet;

use ipnet::{Ipv4AddrRange, Ipv4Net};
use std::net::Ipv4Addr;

fn addresses(from: &str, to: &str) -> Vec<String> {
    let range = Ipv4AddrRange::new(from.parse().unwrap(), to.parse().unwrap());
    range.take(5).map(|one: Ipv4Addr| one.to_string()).collect()
}

#[test]
fn a_range_has_its_ends() {
    assert_eq!(addresses("10.0.0.1", "10.0.0.3"), ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
}

#[test]
fn a_range_of_one_address() {
    assert_eq!(addresses("10.0.0.7", "10.0.0.7"), ["10.0.0.7"]);
}

#[test]
fn hosts_of_a_net() {
    let net: Ipv4Net = "192.168.4.0/30".parse().unwrap();
    assert_eq!(net.hosts().count(), 2);
}

// ipnet 2.0.1: "Fix bug where IpAddrRange never ends when start and end are both 0" (#11).
#[test]
fn a_range_of_nothing_but_zero() {
    assert_eq!(addresses("0.0.0.0", "0.0.0.0"), ["0.0.0.0"]);
}
