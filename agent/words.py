"""The fixed words of a report, in each language it can be written in."""

from dataclasses import dataclass

from agent.domain import NoticeKind
from agent.settings import Language


@dataclass(frozen=True)
class Words:
    """One language's words; `{}` is filled by code."""

    title: str
    period: str
    partial: str
    one_repo: str
    repos: str
    landed: str
    late_total: str
    contents: str
    incomplete: str
    failed: dict[str, str]
    nothing: str
    empty: str
    one_commit: str
    commits: str
    branch: str
    merges: str
    columns: tuple[str, str, str, str, str, str]
    late_heading: str
    late_note: str
    releases: str
    prerelease: str
    issues: str
    events: dict[str, str]
    notices: dict[NoticeKind, str]
    not_counted: str
    unreadable: str
    footer: str
    threads: str
    coverage: dict[str, str]
    archive: str
    comma: str
    semicolon: str


EN = Words(
    title="Gitzette {}",
    period="{start} to {end} ({tz})",
    partial="read at {}, before the window was over",
    one_repo="1 repository",
    repos="{} repositories",
    landed="{} landed",
    late_total="{} of them late",
    contents="Contents",
    incomplete="This report is not complete.",
    failed={
        "code": "{repo}: not covered, its commits could not be read: {message}",
        "diffs": "{repo}: line counts are missing for some commits: {message}",
        "threads": "{repo}: issues and pull requests are missing: {message}",
    },
    nothing="Nothing landed on {branch} in this window.",
    empty="The repository is empty.",
    one_commit="1 commit",
    commits="{} commits",
    branch="{commits} on {branch}, which stood at {tip}; files changed: {files}, lines: +{additions} −{deletions}.",
    merges="Merges among them: {merges}, with {members} more inside.",
    columns=("Commit", "Landed", "Change", "Author", "Files", "Lines"),
    late_heading="Landed late",
    late_note="Dated before this window, but not on the branch when the earlier report was written.",
    releases="Releases",
    prerelease="pre-release",
    issues="Issues",
    events={"opened": "Opened", "closed": "Closed", "not planned": "Closed as not planned"},
    notices={
        NoticeKind.TIP_GONE: "The last report saw the branch at {}, which is no longer there: "
        "what landed late since then cannot be told.",
        NoticeKind.TIP_APART: "The last report saw the branch at {}, which this shallow clone does not reach: "
        "what landed late since then cannot be told.",
        NoticeKind.REWRITTEN: "History was rewritten: the last report saw the branch at {}, "
        "which is no longer part of it.",
        NoticeKind.SHALLOW: "The clone is shallow and ends inside the window: commits may be missing.",
        NoticeKind.SHALLOW_MERGES: "The clone is shallow: what merges brought in may be counted short.",
        NoticeKind.FAR_FUTURE: "Dated after the year 9999 and shown as its end: {}.",
        NoticeKind.RENAMED: "{} is now called {}.",
        NoticeKind.TOLD_BEFORE: "{} belongs to this window and was told as late in the report of {}.",
        NoticeKind.ISSUES_OFF: "issues are switched off",
        NoticeKind.LISTING_CAPPED: "only the {} threads updated last were listed",
        NoticeKind.OPEN_CAPPED: "of the open threads only the {} updated last were listed",
        NoticeKind.ANONYMOUS: "no token: only threads named in commit subjects",
        NoticeKind.ANONYMOUS_LIMIT: "no token: only threads named in commit subjects, "
        "without {} that the anonymous limit did not allow",
        NoticeKind.GIT_ONLY: "commits only, as asked",
        NoticeKind.LOCAL_ONLY: "a local mirror, and neither a token nor an API address is set",
    },
    not_counted="not read",
    unreadable="unreadable files: {} of {}",
    footer="Commits landed: {landed} ({deep} deep, {skim} skimmed, {list} listed, {group} grouped, {failed} failed).",
    threads="Threads: {}.",
    coverage={"read": "read", "partial": "partial", "not read": "not read"},
    archive="Archive",
    comma=", ",
    semicolon="; ",
)

ZH = Words(
    title="Gitzette {}",
    period="{start} 至 {end}（{tz}）",
    partial="读取于 {}，此时段尚未结束",
    one_repo="1 个仓库",
    repos="{} 个仓库",
    landed="{}落地",
    late_total="其中 {} 个迟到",
    contents="目录",
    incomplete="本报告不完整。",
    failed={
        "code": "{repo}：未覆盖，无法读取提交：{message}",
        "diffs": "{repo}：部分提交缺少行数统计：{message}",
        "threads": "{repo}：缺少 issue 与 pull request：{message}",
    },
    nothing="此时段内 {branch} 没有提交落地。",
    empty="仓库为空。",
    one_commit="1 个提交",
    commits="{} 个提交",
    branch="{branch} 上有 {commits}，读取时位于 {tip}：{files} 个文件，+{additions} −{deletions}。",
    merges="其中 {merges} 个为合并，带入 {members} 个提交。",
    columns=("提交", "落地", "变更", "作者", "文件", "行数"),
    late_heading="迟到的提交",
    late_note="日期早于本时段，但上一份报告生成时尚未出现在分支上。",
    releases="发布",
    prerelease="预发布",
    issues="Issue",
    events={"opened": "新建", "closed": "关闭", "not planned": "关闭（不予处理）"},
    notices={
        NoticeKind.TIP_GONE: "上一份报告看到的分支位于 {}，该提交已不存在：此后迟到的提交无从得知。",
        NoticeKind.TIP_APART: "上一份报告看到的分支位于 {}，此浅克隆无法到达：此后迟到的提交无从得知。",
        NoticeKind.REWRITTEN: "历史被改写：上一份报告看到的分支位于 {}，该提交已不在分支上。",
        NoticeKind.SHALLOW: "此克隆为浅克隆，且止于本时段之内：可能缺少提交。",
        NoticeKind.SHALLOW_MERGES: "此克隆为浅克隆：合并带入的提交数可能偏少。",
        NoticeKind.FAR_FUTURE: "日期晚于 9999 年，按该年年末显示：{}。",
        NoticeKind.RENAMED: "{} 现名为 {}。",
        NoticeKind.TOLD_BEFORE: "{} 属于本时段，但已在 {} 的报告中列为迟到。",
        NoticeKind.ISSUES_OFF: "仓库未启用 issue",
        NoticeKind.LISTING_CAPPED: "仅列出最近更新的 {} 条",
        NoticeKind.OPEN_CAPPED: "未关闭的讨论串仅列出最近更新的 {} 条",
        NoticeKind.ANONYMOUS: "无 token：仅读取提交标题中提到的编号",
        NoticeKind.ANONYMOUS_LIMIT: "无 token：仅读取提交标题中提到的编号，另有 {} 个超出匿名限额",
        NoticeKind.GIT_ONLY: "按要求仅读取提交",
        NoticeKind.LOCAL_ONLY: "本地镜像，且未设置 token 或 API 地址",
    },
    not_counted="未读取",
    unreadable="{1} 个文件中 {0} 个无法读取",
    footer="{landed} 个提交落地：深读 {deep}，略读 {skim}，列出 {list}，归组 {group}，失败 {failed}。",
    threads="讨论串：{}。",
    coverage={"read": "已读", "partial": "部分", "not read": "未读"},
    archive="往期",
    comma="，",
    semicolon="；",
)

_ALL: dict[Language, Words] = {"en": EN, "zh": ZH}


def words(lang: Language) -> Words:
    """Find a language's words."""
    return _ALL[lang]
