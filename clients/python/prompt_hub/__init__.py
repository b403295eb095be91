"""Prompts from a Prompt Hub as dependencies of a program: pinned, verified, cached."""

from typing import TYPE_CHECKING

from .attested import verify_signatures
from .chat import fill_chat, for_anthropic, for_gemini, split_chat
from .filling import fill_content
from .hub import PromptHub
from .lock import Lock, LockedDetails, LockedPrompt, Place, format_lock, parse_lock
from .manage import ChangeResult, Guarded, HubManager
from .outcome import Outcome, read_outcome
from .placed import open_lock
from .prompt import Prompt
from .ranges import highest_in, is_range, is_version, satisfies
from .records import Advisory, VersionRow
from .results import SuiteResult
from .skills import SkillFile
from .standing import Event, Standing
from .trouble import PromptHubError, ValueProblem
from .variable import Variable

if TYPE_CHECKING:
    from .aio import AsyncPromptHub
else:

    def __getattr__(name):
        # asyncio takes a third of the time of an import, and most programs do not use it.
        if name != "AsyncPromptHub":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from .aio import AsyncPromptHub

        return AsyncPromptHub


__version__ = "1.0.0"

__all__ = [
    "Advisory",
    "AsyncPromptHub",
    "ChangeResult",
    "Guarded",
    "Event",
    "HubManager",
    "Lock",
    "LockedDetails",
    "LockedPrompt",
    "Outcome",
    "Place",
    "Prompt",
    "PromptHub",
    "PromptHubError",
    "SkillFile",
    "Standing",
    "SuiteResult",
    "ValueProblem",
    "Variable",
    "VersionRow",
    "fill_chat",
    "fill_content",
    "for_anthropic",
    "for_gemini",
    "format_lock",
    "highest_in",
    "is_range",
    "is_version",
    "open_lock",
    "parse_lock",
    "read_outcome",
    "satisfies",
    "split_chat",
    "verify_signatures",
]
