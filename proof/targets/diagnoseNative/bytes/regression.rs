use bytes::{Buf, Bytes};

#[test]
fn unsigned_numbers_are_read() {
    let mut packet = Bytes::from_static(&[1, 2, 3, 0xff, 0xfe]);
    assert_eq!(packet.get_uint(3), 0x010203);
    assert_eq!(packet.get_u16(), 0xfffe);
}

#[test]
fn positive_numbers_are_read() {
    let mut packet = Bytes::from_static(&[0, 0, 7, 1]);
    assert_eq!(packet.get_int(3), 7);
    assert_eq!(packet.remaining(), 1);
}

#[test]
fn whole_negative_numbers_are_read() {
    let mut packet = Bytes::from_static(&[0xff, 0xff, 0xff, 0xf6]);
    assert_eq!(packet.get_i32(), -10);
}

// bytes 1.7.2: "Fix default impl of Buf::{get_int, get_int_le}" (#732).
#[test]
fn short_negative_numbers_are_read() {
    let mut packet = Bytes::from_static(&[2, 0xff, 0xff, 0xf6]);
    let length = packet.get_u8();
    assert_eq!(length, 2);
    let offset = packet.get_int(3);
    assert_eq!(offset, -10);
}
