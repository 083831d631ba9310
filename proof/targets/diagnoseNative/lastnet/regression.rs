use ipnet::Ipv4Net;

fn joined(networks: &[&str]) -> Vec<String> {
    let all: Vec<Ipv4Net> = networks.iter().map(|text| text.parse().unwrap()).collect();
    Ipv4Net::aggregate(&all).iter().map(|network| network.to_string()).collect()
}

#[test]
fn neighbours_are_joined() {
    assert_eq!(joined(&["10.0.0.0/25", "10.0.0.128/25"]), ["10.0.0.0/24"]);
}

#[test]
fn others_stay() {
    assert_eq!(joined(&["10.0.0.0/24", "10.0.2.0/24"]), ["10.0.0.0/24", "10.0.2.0/24"]);
}

#[test]
fn what_is_inside_is_left_out() {
    assert_eq!(joined(&["10.0.0.0/8", "10.1.0.0/16"]), ["10.0.0.0/8"]);
}

// ipnet 2.12.2: aggregates that end before the last address.
#[test]
fn the_last_but_one_stays() {
    assert_eq!(joined(&["255.255.255.254/32"]), ["255.255.255.254/32"]);
}
