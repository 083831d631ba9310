from avatars.gallery import Gallery


def test_rows():
    gallery = Gallery()
    assert gallery.row(["Ann", "Bob"], 16) == "<A 16x16> <B 16x16>"
    assert gallery.row(["Bob", "Cem"], 32) == "<B 32x32> <C 32x32>"
