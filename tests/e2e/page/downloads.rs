//! Waits for downloads and reads them.
//!
//! During a download, an empty file may already have the final name; it is ignored.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{POLL_INTERVAL, Page, TIMEOUT};

/// Extension of unfinished downloads.
const UNFINISHED: &str = "crdownload";

impl Page {
    /// Allows downloads into a folder of the profile, and returns it.
    pub(crate) async fn download_to(&self) -> Result<PathBuf> {
        let folder = self.profile.downloads();
        let behavior = json!({ "behavior": "allow", "downloadPath": folder });
        self.driver.cdp().send_raw("Browser.setDownloadBehavior", behavior).await?;
        Ok(folder)
    }

    /// Waits for a complete file with this extension, reads it as text and removes it: the next one may have the same
    /// name, which contains the second.
    pub(crate) async fn downloaded(&self, ending: &str) -> Result<String> {
        let has_ending = |file: &PathBuf| file.extension().is_some_and(|extension| extension == ending);
        let has_one = |files: &[PathBuf]| files.iter().any(has_ending);
        let files = self.whole_files(&format!("a file that ends in .{ending}"), has_one).await?;
        let file = files.into_iter().find(has_ending).context("the download was removed")?;
        let text = fs::read_to_string(&file)?;
        fs::remove_file(file)?;
        Ok(text)
    }

    /// Returns the downloaded files as soon as all are complete and fulfil `is_it`.
    async fn whole_files(&self, what: &str, is_it: impl Fn(&[PathBuf]) -> bool) -> Result<Vec<PathBuf>> {
        let folder = self.profile.downloads();
        let until = Instant::now() + TIMEOUT;
        loop {
            let files: Vec<_> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
            let is_whole = |file: &PathBuf| {
                let unfinished = file.extension().is_some_and(|extension| extension == UNFINISHED);
                // No flow downloads an empty file.
                !unfinished && fs::metadata(file).is_ok_and(|meta| meta.len() > 0)
            };
            if files.iter().all(is_whole) && is_it(&files) {
                return Ok(files);
            }
            ensure!(Instant::now() < until, "timeout after {} s: {what} among {files:?}", TIMEOUT.as_secs());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
