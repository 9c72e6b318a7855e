// The sheets of RunStore.
#include "ui/history/run_store.hpp"

namespace lowtide::ui {

namespace {

constexpr QChar kFilesApart = u'\n';

/// The line `?1` of a list of lines becomes `?2`.
constexpr std::string_view kCellFileMoved =
    "UPDATE sheet_cells SET files = trim(replace(char(10) || files || char(10), char(10) || ?1 || "
    "char(10), char(10) || ?2 || char(10)), char(10)) WHERE instr(files, ?1)";

}  // namespace

void RunStore::addSheet(const RunRecord& sheet,
                        const std::string& description,
                        const std::vector<RunKey>& cells) {
    add({sheet});
    Transaction all(database_);
    database_.prepare("INSERT INTO sheets VALUES(?1, ?2, '')")
        .bind(1, sheet.key)
        .bind(2, QString::fromStdString(description))
        .run();
    Statement row = database_.prepare("INSERT INTO sheet_cells VALUES(?1, ?2, ?3, '')");
    int64_t index = 0;
    for (const RunKey& cell : cells) {
        row.bind(1, sheet.key).bind(2, index++).bind(3, cell).run();
    }
    all.commit();
}

std::optional<SheetRecord> RunStore::endCell(const RunKey& run, const QStringList& files) {
    database_.prepare("UPDATE sheet_cells SET files = ?2 WHERE run = ?1")
        .bind(1, run)
        .bind(2, files.join(kFilesApart))
        .run();
    return database_.changed() > 0 ? sheet(run) : std::nullopt;
}

void RunStore::replaceRuns(const std::vector<std::pair<RunKey, RunKey>>& replacements) {
    Statement row = database_.prepare("UPDATE sheet_cells SET run = ?2, files = '' WHERE run = ?1");
    for (const auto& [before, now] : replacements) {
        row.bind(1, before).bind(2, now).run();
    }
}

void RunStore::setSheetImage(const RunKey& key, const QString& path) {
    database_.prepare("UPDATE sheets SET picture = ?2 WHERE run = ?1")
        .bind(1, key)
        .bind(2, path)
        .run();
}

void RunStore::moveSheetFile(const QString& before, const QString& now) {
    database_.prepare(kCellFileMoved).bind(1, before).bind(2, now).run();
    database_.prepare("UPDATE sheets SET picture = ?2 WHERE picture = ?1")
        .bind(1, before)
        .bind(2, now)
        .run();
}

RunKey RunStore::sheetKeyOf(const RunKey& run) {
    Statement row = database_.prepare(
        "SELECT run FROM sheets WHERE run = ?1 UNION ALL SELECT sheet FROM sheet_cells WHERE run = "
        "?1 LIMIT 1");
    row.bind(1, run);
    return row.next() ? row.text(0) : RunKey();
}

std::optional<SheetRecord> RunStore::sheet(const RunKey& of) {
    if (!of.isEmpty()) {
        return sheetWith(sheetKeyOf(of));
    }
    Statement row = database_.prepare(
        "SELECT sheets.run FROM sheets JOIN runs ON runs.key = sheets.run ORDER BY runs.asked "
        "DESC, runs.rowid DESC LIMIT 1");
    return row.next() ? sheetWith(row.text(0)) : std::nullopt;
}

std::optional<SheetRecord> RunStore::sheetWith(const RunKey& key) {
    Statement head = database_.prepare("SELECT description, picture FROM sheets WHERE run = ?1");
    head.bind(1, key);
    const std::optional<RunRecord> own = run(key);
    if (!own || !head.next()) {
        return std::nullopt;
    }
    SheetRecord sheet{.key = key,
                      .title = own->title,
                      .name = own->words.graph,
                      .graph = own->graph,
                      .description = head.text(0).toStdString(),
                      .image = head.text(1),
                      .cells = {}};
    Statement rows = database_.prepare(
        "SELECT sheet_cells.run, sheet_cells.files, runs.key IS NOT NULL, runs.state, runs.ms, "
        "runs.peak, runs.executed, runs.problem FROM sheet_cells LEFT JOIN runs ON runs.key = "
        "sheet_cells.run WHERE sheet = ?1 ORDER BY cell");
    rows.bind(1, key);
    while (rows.next()) {
        sheet.cells.push_back({.run = rows.text(0),
                               .isKnown = rows.number(2) != 0,
                               .state = static_cast<RunState>(rows.number(3)),
                               .files = rows.text(1).split(kFilesApart, Qt::SkipEmptyParts),
                               .milliseconds = rows.real(4),
                               .peak = rows.number(5),
                               .executed = static_cast<int>(rows.number(6)),
                               .problem = rows.text(7)});
    }
    return sheet;
}

std::vector<SheetRecord> RunStore::sheetsWith(const std::set<RunKey>& keys) {
    std::vector<SheetRecord> sheets;
    for (const RunKey& key : keys) {
        if (std::optional<SheetRecord> sheet = sheetWith(key)) {
            sheets.push_back(std::move(*sheet));
        }
    }
    return sheets;
}

std::vector<SheetRecord> RunStore::sheetsOf(const std::vector<RunKey>& runs) {
    std::set<RunKey> keys;
    for (const RunKey& run : runs) {
        keys.insert(sheetKeyOf(run));
    }
    return sheetsWith(keys);
}

std::vector<SheetRecord> RunStore::unwrittenSheets() {
    Statement rows = database_.prepare("SELECT run FROM sheets WHERE picture = ''");
    std::set<RunKey> keys;
    while (rows.next()) {
        keys.insert(rows.text(0));
    }
    return sheetsWith(keys);
}

}  // namespace lowtide::ui
