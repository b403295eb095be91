"""Reads the output of a test runner: promptfoo's JSON, JUnit XML, the benchmark.json of Agent Skills, or SARIF.

The output may contain anything that a model wrote, so it is read with a limit, in linear time, and an XML file without
entities and without a document type.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, cast
from xml.parsers import expat

from .trouble import PromptHubError

MAX_OUTPUT_BYTES = 33554432
"""The size of an output file that is read."""
_MAX_DEPTH = 64
_MAX_DIGITS = 15
_WITH_SKILL = "with_skill"
_NOT_RUN = ("notrun", "disabled", "skipped")


class Outcome(NamedTuple):
    """The outcome of a test suite, as a hub records it."""

    passed: int
    failed: int
    """Also those that ended with an error."""
    skipped: int
    score: Optional[float]
    """From 0 to 1; None if nothing ran."""
    model: Optional[str]
    """The model that was tested, if the output names exactly one."""
    url: Optional[str]
    """An https URL of the run, if the output has one."""
    at: Optional[str]
    """When it ran, in UTC, if the output says so."""

    def fields(self) -> Dict[str, Any]:
        """The fields of a report to a hub."""
        return {key: value for key, value in self._asdict().items() if value is not None}


def read_outcome(data: bytes) -> Outcome:
    """Reads the output of a test runner, and finds out which one wrote it.

    Raises PromptHubError `invalid_request` if it is none of the four formats, is too large, or has no test case.
    """
    if len(data) > MAX_OUTPUT_BYTES:
        raise _refused(f"expected at most {MAX_OUTPUT_BYTES} bytes")
    outcome = _read_junit(data) if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else _read_json(data)
    if outcome.passed + outcome.failed + outcome.skipped == 0:
        raise _refused("expected at least one test case")
    return outcome


def _refused(reason: str) -> PromptHubError:
    return PromptHubError("invalid_request", f"cannot read the output of a test runner: {reason}")


def _read_json(data: bytes) -> Outcome:
    try:
        value: Any = json.loads(data.decode("utf-8-sig"), parse_int=_read_number, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise _refused("expected UTF-8") from None
    except (ValueError, RecursionError):
        raise _refused("expected the JSON of promptfoo, JUnit XML, the benchmark.json of Agent Skills, or SARIF") from None
    found = _dict(value) or {}
    if _dict(found.get("results")) is not None:
        return _read_promptfoo(found)
    if "run_summary" in found:
        return _read_benchmark(found)
    if isinstance(found.get("runs"), list) and found.get("version") == "2.1.0":
        return _read_sarif(_list(found["runs"]))
    raise _refused(
        "expected the JSON of promptfoo, with results, the benchmark.json of Agent Skills, with run_summary, or SARIF 2.1.0,"
        " with runs"
    )


def _read_number(text: str) -> float:
    # Converting a long row of digits takes quadratic time.
    return int(text) if len(text) <= _MAX_DIGITS else float(text)


def _refuse_constant(text: str) -> None:
    raise ValueError(text)


def _read_promptfoo(value: Dict[str, Any]) -> Outcome:
    """https://www.promptfoo.dev/docs/configuration/outputs"""
    results = _dict(value["results"]) or {}
    stats = _dict(results.get("stats"))
    if stats is None:
        raise _refused("expected results.stats in the JSON of promptfoo")
    passed = _count(stats, "successes", "results.stats")
    failed = _count(stats, "failures", "results.stats") + _count(stats, "errors", "results.stats", 0)
    cases = [case for case in map(_dict, _list(results.get("results"))) if case is not None]
    scores = [score for score in (_score(case.get("score")) for case in cases) if score is not None]
    complete = bool(cases) and len(scores) == len(cases) == passed + failed
    named = [provider for provider in (_dict(case.get("provider")) for case in cases) if provider is not None]
    providers = {str(provider.get("id")) for provider in named}
    return Outcome(
        passed,
        failed,
        0,
        _rounded(sum(scores) / len(scores)) if complete else _rate(passed, failed),
        _line(providers.pop()) if len(providers) == 1 else None,
        _url(value.get("shareableUrl")),
        _time(results.get("timestamp")),
    )


def _read_benchmark(value: Dict[str, Any]) -> Outcome:
    """https://agentskills.io/skill-creation/evaluating-skills: the runs with the skill count, not those without."""
    runs = value.get("runs")
    if not isinstance(runs, list):
        raise _refused("this benchmark.json has only rates; expected runs, with the numbers of each run")
    passed = failed = 0
    for number, one in enumerate(_list(runs)):
        run = _dict(one) or {}
        result = _dict(run.get("result"))
        if result is None:
            raise _refused(f"expected runs.{number}.result in benchmark.json")
        if run.get("configuration") != _WITH_SKILL:
            continue
        good = _count(result, "passed", f"runs.{number}.result")
        total = _count(result, "total", f"runs.{number}.result", good + _count(result, "failed", f"runs.{number}.result", 0))
        bad = _count(result, "failed", f"runs.{number}.result", total - good)
        if good + bad != total:
            raise _refused(f"runs.{number}.result: {good} passed and {bad} failed are not {total}")
        if total == 0 and _count(result, "errors", f"runs.{number}.result", 0) > 0:
            bad = 1  # The run ended with an error before anything could be checked.
        passed, failed = passed + good, failed + bad
    summary = _dict((_dict(value["run_summary"]) or {}).get(_WITH_SKILL)) or {}
    mean = _score((_dict(summary.get("pass_rate")) or {}).get("mean"))
    metadata = _dict(value.get("metadata")) or {}
    return Outcome(
        passed,
        failed,
        0,
        _rate(passed, failed) if mean is None else _rounded(mean),
        _line(metadata.get("executor_model")),
        None,
        _time(metadata.get("timestamp")),
    )


def _read_sarif(runs: Sequence[Any]) -> Outcome:
    """https://docs.oasis-open.org/sarif/sarif/v2.1.0: an error counts as failed, all else as passed. A run that found
    nothing is one that passed, unless it says that it did not succeed."""
    passed = failed = 0
    for number, one in enumerate(runs):
        run = _dict(one) or {}
        if not isinstance(run.get("results"), list):
            raise _refused(f"expected runs.{number}.results in SARIF")
        results = _list(run["results"])
        tool = _dict(run.get("tool")) or {}
        parts: List[_Part] = []
        by_id: Dict[str, Any] = {}
        for each in (tool.get("driver"), *_list(tool.get("extensions"))):
            found = _dict(each) or {}
            rules = [_dict(rule) or {} for rule in _list(found.get("rules"))]
            levels = [(_dict(rule.get("defaultConfiguration")) or {}).get("level") for rule in rules]
            part = _Part(found.get("guid"), found.get("name"), levels, {})
            parts.append(part)
            for rule, level in zip(rules, levels):
                for known in (part.by_id, by_id):
                    if isinstance(rule.get("id"), str) and known.get(rule["id"]) is None:
                        known[rule["id"]] = level
        bad = sum(_is_error(_dict(result) or {}, parts, by_id) for result in results)
        is_broken = any((_dict(each) or {}).get("executionSuccessful") is False for each in _list(run.get("invocations")))
        passed, failed = passed + max(len(results), 0 if is_broken else 1) - bad, failed + bad + is_broken
    return Outcome(passed, failed, 0, _rate(passed, failed), None, None, None)


class _Part(NamedTuple):
    """A part of the tool of a run, with the levels of its rules by number and by ID."""

    guid: Any
    name: Any
    levels: List[Any]
    by_id: Dict[str, Any]


def _find_part(reference: Any, parts: Sequence[_Part]) -> Optional[_Part]:
    """The part that a reference names; None for one that is not there, or is not the only one."""
    wanted = _dict(reference)
    if wanted is None:
        return None
    index, guid, name = wanted.get("index", -1), wanted.get("guid"), wanted.get("name")
    if index != -1:
        found: Optional[_Part] = _at(parts[1:], index)
        return found
    if guid is None and name is None:
        return parts[0]
    named = [part for part in parts if (part.name == name if guid is None else part.guid == guid)]
    return named[0] if len(named) == 1 else None


def _is_error(result: Dict[str, Any], parts: Sequence[_Part], by_id: Dict[str, Any]) -> bool:
    """Whether a result counts as failed, also because nobody can say what its rule is. `parts` has the driver, then each
    extension; `by_id` has the levels of all rules."""
    rule = _dict(result.get("rule")) or {}
    level, index, name = result.get("level"), rule.get("index", result.get("ruleIndex")), rule.get("id", result.get("ruleId"))
    if result.get("kind", "fail") != "fail":
        return False
    if level is not None:
        return bool(level == "error")
    is_named = "toolComponent" in rule
    part = _find_part(rule["toolComponent"], parts) if is_named else parts[0]
    if part is None:
        return True
    level = _at(part.levels, index)
    if level is None and isinstance(name, str):
        level = (part.by_id if is_named else by_id).get(name)
    return level == "error"


def _at(values: Sequence[Any], index: Any) -> Any:
    is_index = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(values)
    return values[index] if is_index else None


class _Suite:
    """An open element of a JUnit file that is not in a test case, and the outcomes in it."""

    def __init__(self, attributes: Dict[str, str]) -> None:
        self.tests = _stated(attributes, "tests")
        self.failed = (_stated(attributes, "failures") or 0) + (_stated(attributes, "errors") or 0)
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}

    def close(self) -> Dict[str, int]:
        """Its outcomes, with what only its header counts: a suite that could not run has no test case that says so."""
        counts = self.counts
        missing = max(0, self.failed - counts["failed"])
        counts["failed"] += missing
        if self.tests is not None:
            # Test cases that failed, but are listed without a failure, have been counted as passed.
            twice = min(missing, sum(counts.values()) - self.tests, counts["passed"])
            counts["passed"] -= max(0, twice)
        return counts


class _JUnit:
    """Counts the test cases of a JUnit file while it is parsed. https://github.com/testmoapp/junitxml"""

    def __init__(self) -> None:
        self.depth = 0
        self.suites: List[_Suite] = [_Suite({})]
        """The open elements outside of test cases, in one that stands for the file."""
        self.case: Optional[Tuple[int, str]] = None
        """The depth of the open test case, and its outcome."""

    def start(self, name: str, attributes: Dict[str, str]) -> None:
        depth = self.depth
        if depth >= _MAX_DEPTH:
            raise _refused("expected less deeply nested XML")
        if depth == 0 and name not in ("testsuites", "testsuite"):
            raise _refused("expected JUnit XML, with testsuites or testsuite")
        self.depth += 1
        if name == "testcase":
            if self.case is not None:
                raise _refused("expected no testcase in a testcase")
            self.case = (depth, "skipped" if attributes.get("status") in _NOT_RUN else "passed")
        elif self.case is None:
            if name in ("failure", "error"):
                self.suites[-1].counts["failed"] += 1
            self.suites.append(_Suite(attributes if name in ("testsuites", "testsuite") else {}))
        elif depth == self.case[0] + 1:
            if name in ("failure", "error"):
                self.case = (self.case[0], "failed")
            elif name == "skipped" and self.case[1] == "passed":
                self.case = (self.case[0], "skipped")

    def end(self, name: str) -> None:
        self.depth -= 1
        if self.case is None:
            for outcome, count in self.suites.pop().close().items():
                self.suites[-1].counts[outcome] += count
        elif self.depth == self.case[0]:
            self.suites[-1].counts[self.case[1]] += 1
            self.case = None

    def refuse(self, *_: object) -> None:
        raise _refused("expected no DOCTYPE, which may define entities")


def _stated(attributes: Dict[str, str], key: str) -> Optional[int]:
    """The count in the header of a suite. What cannot be read may be a failure, so it is refused."""
    value = attributes.get(key, "").strip()
    if value == "":
        return None
    if not re.fullmatch(r"[0-9]{1,15}", value):
        raise _refused(f"{key}: expected a whole number in the header of each suite")
    return int(value)


def _read_junit(data: bytes) -> Outcome:
    reading = _JUnit()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.StartDoctypeDeclHandler = reading.refuse
    parser.EntityDeclHandler = reading.refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise _refused(f"expected XML: line {error.lineno}, {expat.ErrorString(error.code)}") from None
    except (LookupError, ValueError):
        raise _refused("expected XML in UTF-8") from None
    passed, failed, skipped = (reading.suites[0].counts[key] for key in ("passed", "failed", "skipped"))
    return Outcome(passed, failed, skipped, _rate(passed, failed), None, None, None)


def _count(record: Dict[str, Any], key: str, where: str, default: Optional[int] = None) -> int:
    value = record.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _refused(f"{where}.{key}: expected a whole number")
    return value


def _list(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else []


def _dict(value: Any) -> Optional[Dict[str, Any]]:
    return cast("Dict[str, Any]", value) if isinstance(value, dict) else None


def _score(value: Any) -> Optional[float]:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1 else None


def _rate(passed: int, failed: int) -> Optional[float]:
    return _rounded(passed / (passed + failed)) if passed + failed > 0 else None


def _rounded(score: float) -> float:
    """Rounds down to six digits, so that no score becomes 1 that is not."""
    return int(score * 1000000 + 1e-9) / 1000000


def _line(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and re.fullmatch(r"[!-~](?:[ -~]{0,198}[!-~])?", value) else None


def _url(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and re.fullmatch(r"https://[!-~]{1,400}", value) else None


def _time(value: Any) -> Optional[str]:
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z", value) if isinstance(value, str) else None
    return f"{found.group(1)}Z" if found else None
