//! The job runner: asks the model until there is an answer or retrying is pointless, and records the result.
//!
//! Requests the answer by JSON schema; if the host rejects that, by a forced tool call if there is a tool for it; else
//! by the prompt alone.

use crate::calls::model_client::OneShotRequest;
use crate::jobs::prompts::MergePrompt;
use crate::jobs::{JobContext, prompts};
use crate::prelude::*;
use nexus_model::command::{FailedAttempt, JobAnswer, RecordedAnswer};
use nexus_model::job::NO_ANSWER;
use nexus_model::job::maintenance::answer::{read_memories, read_summary};
use nexus_model::job::maintenance::turn_of;
use nexus_model::llm::{Prompt, Thinking, ToolSpec};
use nexus_model::mind::core_sync::{NO_PATCH, patch_tool, read_answer};
use nexus_model::mind::merge::proposal::{propose_tool, read_answer as read_proposals};

/// How the format of the answer is enforced. The prompt describes it in any case.
#[derive(Clone, Copy)]
enum AnswerFormat {
    /// By a schema for the answer's text.
    Schema,
    Tool(fn() -> ToolSpec),
    PromptOnly,
}

impl AnswerFormat {
    /// The next format to try after a host rejected this one.
    fn next(self, task: &JobTask) -> Option<Self> {
        match (self, task) {
            (Self::Schema, JobTask::Sync { .. }) => Some(Self::Tool(patch_tool)),
            (Self::Schema, JobTask::Merge(_)) => Some(Self::Tool(propose_tool)),
            (Self::Schema, JobTask::Summary { .. } | JobTask::Memory { .. }) | (Self::Tool(_), _) => {
                Some(Self::PromptOnly)
            }
            (Self::Schema, JobTask::Compaction(_)) | (Self::PromptOnly, _) => None,
        }
    }

    fn apply(self, prompt: &mut Prompt) {
        match self {
            Self::Schema => {}
            Self::Tool(tool) => {
                prompt.output = None;
                prompt.tools = vec![tool()];
                prompt.must_call = true;
                // Some models cannot be forced to call a tool while thinking.
                prompt.config.thinking = Thinking::Off;
            }
            Self::PromptOnly => prompt.output = None,
        }
    }
}

impl JobContext {
    pub(super) async fn run(self, session: SessionId, id: JobId) {
        let Some(job) = self.open(session, id) else { return };
        let merging = match job.question() {
            None => None,
            Some(question) => match self.conflicts(session, &job, question).await {
                Ok(prompt) => Some(prompt),
                Err(failure) => {
                    self.failed(session, id, FailedAttempt::unmade(failure)).await;
                    return;
                }
            },
        };
        let (mut attempt, mut format) = (1, AnswerFormat::Schema);
        loop {
            let Some(request) = self.request(session, id, merging.as_ref(), attempt, format) else { return };
            let failed = match self.client.clone().send_once(request).await {
                Ok(answer) => match self.read(session, &job, merging.as_ref(), &answer) {
                    Ok(read) => {
                        let (answer, usage) = (read, answer.usage);
                        let command = Command::RecordJob { session, job: id, answer, usage };
                        // A rejection means that the job was stopped meanwhile.
                        self.engine.tell(command).await;
                        return;
                    }
                    Err(failure) => {
                        FailedAttempt { attempt, usage: answer.usage, ..FailedAttempt::unmade(failure) }
                    }
                },
                // Hosts without support for schemas or tools reject the request.
                Err(failed) => match (format.next(&job.task), failed.failure.category) {
                    (Some(next), ProviderErrorKind::BadRequest) => {
                        format = next;
                        continue;
                    }
                    (Some(_) | None, _) => failed,
                },
            };
            if !self.failed(session, id, failed).await {
                return;
            }
            attempt += 1;
        }
    }

    fn open(&self, session: SessionId, job: JobId) -> Option<Job> {
        self.engine.world.borrow().session(&session)?.jobs.get(job).cloned()
    }

    /// Records a failed attempt and waits if a retry may help. Returns true if the job is to be retried.
    async fn failed(&self, session: SessionId, job: JobId, failed: FailedAttempt) -> bool {
        let retry_in_ms = failed.retry_in_ms;
        let command = Command::RecordJobFailure { session, job, failed };
        let recorded = self.engine.handle.send(command).await;
        let (Ok(()), Some(wait_ms)) = (recorded, retry_in_ms) else { return false };
        self.engine.pause(wait_ms).await;
        true
    }

    /// The request; `None` if the job has ended.
    fn request(
        &self,
        session: SessionId,
        id: JobId,
        merging: Option<&MergePrompt>,
        attempt: u32,
        format: AnswerFormat,
    ) -> Option<OneShotRequest> {
        let world = self.engine.world.borrow();
        let row = world.session(&session)?;
        let job = row.jobs.get(id)?;
        let (mut prompt, stored_under) = match &job.task {
            JobTask::Sync { base } => (prompts::prompt(&world, row, job, base, self.engine.now()), None),
            JobTask::Merge(_) => (merging?.prompt.clone(), None),
            JobTask::Compaction(made) => (prompts::compaction(&world, row, made)?, Some(made.turn)),
            JobTask::Summary { .. } | JobTask::Memory { .. } => {
                (prompts::maintenance(&world, row, job)?, Some(turn_of(id)))
            }
        };
        format.apply(&mut prompt);
        // A run waits for its compaction.
        let blocks_run = matches!(job.task, JobTask::Compaction(_)) && world.open_run(row).is_some();
        let is_interactive = job.cause == JobCause::Manual || blocks_run;
        Some(OneShotRequest {
            provider: prompt.config.provider.clone(),
            prompt,
            attempt,
            is_interactive,
            stored_under,
        })
    }

    /// Parses an answer, or says why it is unusable.
    fn read(
        &self,
        session: SessionId,
        job: &Job,
        merging: Option<&MergePrompt>,
        answer: &RecordedAnswer,
    ) -> Result<JobAnswer, ProviderError> {
        let unusable = |code: &'static str| {
            move |message: &'static str| ProviderError {
                code: Some(code.to_owned()),
                ..ProviderError::new(ProviderErrorKind::Garbled, message)
            }
        };
        match (&job.task, merging) {
            (JobTask::Sync { .. }, _) => {
                read_answer(&answer.parts).map(JobAnswer::Sync).map_err(unusable(NO_PATCH))
            }
            (JobTask::Merge(_), merging) => {
                let (conflicts, omitted) =
                    merging.map(|it| (&*it.conflicts, &*it.omitted)).unwrap_or_default();
                let read = read_proposals(&answer.parts, conflicts).map_err(unusable(NO_PATCH))?;
                Ok(JobAnswer::Merge((read.0, [read.1, omitted.to_vec()].concat())))
            }
            (JobTask::Compaction(made), _) => {
                let summary = text_of(&answer.parts).trim().to_owned();
                if summary.is_empty() {
                    let message = "The model answered without a summary.";
                    return Err(ProviderError::new(ProviderErrorKind::Empty, message));
                }
                let tokens_after = self.tokens_after(session, made.turn, &summary).unwrap_or_default();
                Ok(JobAnswer::Compaction { summary, tokens_after })
            }
            (JobTask::Summary { .. }, _) => {
                read_summary(&text_of(&answer.parts)).map(JobAnswer::Summary).map_err(unusable(NO_ANSWER))
            }
            (JobTask::Memory { .. }, _) => {
                read_memories(&text_of(&answer.parts)).map(JobAnswer::Memory).map_err(unusable(NO_ANSWER))
            }
        }
    }
}
