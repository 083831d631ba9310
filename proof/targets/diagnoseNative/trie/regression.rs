extern crate radix_trie;

use radix_trie::Trie;

fn lengths(words: &[&'static str]) -> Trie<&'static str, usize> {
    let mut trie = Trie::new();
    for word in words {
        trie.insert(*word, word.len());
    }
    trie
}

#[test]
fn words_are_found() {
    let trie = lengths(&["abcd", "abxy", "q"]);
    assert_eq!(trie.get("abxy"), Some(&4));
    assert_eq!(trie.get("ab"), None);
}

#[test]
fn what_is_removed_is_gone() {
    let mut trie = lengths(&["abcd", "abxy", "q"]);
    assert_eq!(trie.remove("abcd"), Some(4));
    assert_eq!(trie.get("abcd"), None);
    assert_eq!(trie.get("abxy"), Some(&4));
}

// radix_trie 0.1.5: "Fix another bug related to the removal of non-existent keys" (#50).
#[test]
fn others_stay_when_nothing_is_removed() {
    let mut trie = lengths(&["abcd", "q"]);
    assert_eq!(trie.remove("abce"), None);
    assert_eq!(trie.get("abcd"), Some(&4));
}
