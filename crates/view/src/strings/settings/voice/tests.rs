use super::*;

#[test]
fn each_error_has_its_own_text() {
    let mut titles: Vec<_> =
        RecognitionError::ALL.into_iter().map(|fault| error(VoiceError::Recognition(fault)).title).collect();
    titles.push(error(VoiceError::NothingHeard).title);
    titles.push(error(VoiceError::Hidden).title);
    titles.push(error(VoiceError::OtherTab).title);
    let count = titles.len();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), count);
    assert!(titles.iter().all(|title| !title.is_empty()));
}

#[test]
fn code_and_tables_are_announced_briefly() {
    let code = |language: &str, lines| spoken(&SpeechChunk::Code { language: language.into(), lines });
    assert_eq!(code("rust", 1), "Code in rust, 1 line.");
    assert_eq!(code("", 12), "Code, 12 lines.");
    assert_eq!(code("", 0), "Some code.");
    assert_eq!(spoken(&SpeechChunk::Table { rows: 2 }), "A table with 2 rows.");
}
