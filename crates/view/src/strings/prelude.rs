//! Prelude of the strings: how a text is written, how values are, and the records that texts are about.

pub(super) use crate::language::{Text, text, tr, tr_in, translate_template};
pub(super) use crate::local_time::LocalTime;
pub(super) use crate::strings::common;
pub(super) use crate::strings::format::{
    Notice, ago, cap, changed_lines, count, elapsed, large_size, listed, minutes, model_name, money, notice,
    size, tokens, tokens_with_unit,
};
pub(super) use nexus_model::prelude::*;
pub(super) use nexus_text::invisible::reveal;
pub(super) use nexus_text::shorten::ellipsis;
