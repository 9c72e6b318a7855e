#include "ui/history/run_store.hpp"

#include "ui/history/qt_values.hpp"

#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <iterator>

namespace lowtide::ui {

namespace {

constexpr QChar kBetween = u'\n';  ///< models of a run

constexpr QChar kFilesApart = u'\n';

/// The line `?1` of a list of lines becomes `?2`.
constexpr std::string_view kCellFileMoved =
    "UPDATE sheet_cells SET files = trim(replace(char(10) || files || char(10), char(10) || ?1 || "
    "char(10), char(10) || ?2 || char(10)), char(10)) WHERE instr(files, ?1)";

std::string imagesWhere(const std::string& condition) {
    return "SELECT pictures.id, pictures.run, pictures.path, runs.title, width, height, starred, "
           "made, EXISTS(SELECT 1 FROM thumbnails WHERE picture = pictures.id), coalesce((SELECT "
           "run FROM sheets WHERE run = pictures.run), (SELECT sheet FROM sheet_cells WHERE run = "
           "pictures.run), '') FROM pictures JOIN "
           "runs ON runs.key = pictures.run " +
           condition + " ORDER BY made DESC, pictures.id DESC";
}

std::vector<ImageRecord> imagesAt(Statement& rows) {
    std::vector<ImageRecord> found;
    while (rows.next()) {
        found.push_back(
            {.id = rows.number(0),
             .run = textAt(rows, 1),
             .path = textAt(rows, 2),
             .title = textAt(rows, 3),
             .size = {static_cast<int>(rows.number(4)), static_cast<int>(rows.number(5))},
             .isStarred = rows.number(6) != 0,
             .made = rows.number(7),
             .hasThumbnail = rows.number(8) != 0,
             .sheet = textAt(rows, 9)});
    }
    return found;
}

QString searchable(const QStringList& texts) {
    return texts.join(kBetween).toCaseFolded();
}

QueueEntry entryOf(const RunRecord& run) {
    const SearchTerms& words = run.words;
    QueueEntry entry;
    entry.key = run.key.toStdString();
    entry.state = run.state;
    entry.title = run.title.toStdString();
    entry.graph = run.graph;
    entry.options = run.options;
    entry.name = words.graph.toStdString();
    entry.prompt = words.prompt.toStdString();
    entry.models = words.models.toStdString();
    entry.seed = words.seed.toStdString();
    entry.found = searchable({run.title, words.prompt, words.models}).toStdString();
    entry.asked = run.asked;
    entry.begun = run.begun;
    entry.ended = run.ended;
    entry.milliseconds = run.milliseconds;
    entry.peak = run.peak;
    entry.executed = run.executed;
    entry.problem = run.problem.toStdString();
    return entry;
}

std::vector<QueueEntry> entriesOf(const std::vector<RunRecord>& runs) {
    std::vector<QueueEntry> entries;
    entries.reserve(runs.size());
    std::ranges::transform(runs, std::back_inserter(entries), entryOf);
    return entries;
}

RunRecord recordOf(const QueueEntry& entry) {
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    return {.key = text(entry.key),
            .state = entry.state,
            .title = text(entry.title),
            .graph = entry.graph,
            .options = entry.options,
            .words = {.graph = text(entry.name),
                      .prompt = text(entry.prompt),
                      .models = text(entry.models),
                      .seed = text(entry.seed)},
            .asked = entry.asked,
            .begun = entry.begun,
            .ended = entry.ended,
            .milliseconds = entry.milliseconds,
            .peak = entry.peak,
            .executed = entry.executed,
            .problem = text(entry.problem)};
}

QStringList wordsIn(const QString& text) {
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    QStringList words = text.toCaseFolded().split(spaces, Qt::SkipEmptyParts);
    words.removeDuplicates();
    return words;
}

/// As a tree that is no deeper than it must be: SQLite refuses a long chain as too deep.
std::string allOf(const std::vector<std::string>& conditions, size_t first, size_t last) {
    if (last - first == 1) {
        return conditions[first];
    }
    const size_t middle = first + (last - first) / 2;
    return "(" + allOf(conditions, first, middle) + " AND " + allOf(conditions, middle, last) + ")";
}

/// Conditions of a filter, in the order in which bindFilter() gives their values.
std::string conditionsOf(const ImageFilter& filter) {
    std::vector<std::string> all;
    int index = 0;
    const auto add = [&](std::string condition) {
        const std::string value = "?" + std::to_string(++index);
        for (size_t at = condition.find('$'); at != condition.npos; at = condition.find('$')) {
            condition.replace(at, 1, value);
        }
        all.push_back(std::move(condition));
    };
    const qsizetype words = wordsIn(filter.words).size();
    for (qsizetype i = 0; i < words; ++i) {
        add("(instr(runs.found, $) OR instr(pictures.found, $))");
    }
    if (!filter.model.isEmpty()) {
        add("instr(char(10) || runs.models || char(10), char(10) || $ || char(10))");
    }
    if (!filter.graph.isEmpty()) {
        add("runs.name = $");
    }
    if (filter.isStarred) {
        all.emplace_back("pictures.starred");
    }
    add("pictures.made >= $");
    if (filter.until > 0) {
        add("pictures.made < $");
    }
    return "WHERE " + allOf(all, 0, all.size());
}

void bindFilter(Statement& statement, const ImageFilter& filter) {
    int index = 0;
    for (const QString& word : wordsIn(filter.words)) {
        bindValue(statement, ++index, word);
    }
    for (const QString& exact : {filter.model, filter.graph}) {
        if (!exact.isEmpty()) {
            bindValue(statement, ++index, exact);
        }
    }
    statement.bind(++index, filter.since);
    if (filter.until > 0) {
        statement.bind(++index, filter.until);
    }
}

}  // namespace

RunStore::RunStore(const QString& path, DatabaseUse use)
    : queue_(path.toStdString(), use), database_(queue_.database()) {}

void RunStore::add(const std::vector<RunRecord>& runs) {
    queue_.add(entriesOf(runs));
}

void RunStore::addLost(const RunKey& key, const QString& title, int64_t now) {
    database_
        .prepare(
            "INSERT INTO runs VALUES(?1, 2, 0, ?2, ?3, '{}', '', '', '', '', ?4, ?5, ?5, ?5, 0, "
            "0, -1, '')")
        .run(key, title, queue_.keptGraph({}), searchable({title}), now);
}

void RunStore::setOrder(const std::vector<RunKey>& waiting) {
    queue_.setOrder(toStrings(waiting));
}

void RunStore::end(const std::vector<RunRecord>& runs) {
    queue_.end(entriesOf(runs));
}

std::vector<RunKey> RunStore::claim(const std::vector<RunKey>& keys, int64_t now) {
    std::vector<RunKey> claimed;
    for (const std::string& key : queue_.claim(toStrings(keys), now)) {
        claimed.push_back(QString::fromStdString(key));
    }
    return claimed;
}

void RunStore::addImages(const RunKey& key,
                         const QStringList& paths,
                         ImageClaim claim,
                         int64_t now) {
    Transaction all(database_);
    if (!paths.isEmpty()) {  // a run that was lost with a damaged file keeps its images
        Statement known = database_.prepare("SELECT 1 FROM runs WHERE key = ?1", key);
        if (!known.next()) {
            addLost(key, QFileInfo(paths.front()).fileName(), now);
        }
    }
    Statement drop = database_.prepare("DELETE FROM pictures WHERE path = ?1 AND run <> ?2");
    Statement add = database_.prepare(
        "INSERT INTO pictures(run, path, found, width, height, starred, made) VALUES(?1, ?2, ?3, "
        "0, 0, 0, ?4) ON CONFLICT(path) DO NOTHING");
    for (const QString& path : paths) {
        if (claim == ImageClaim::Wrote) {
            drop.run(path, key);
        }
        add.run(key, path, searchable({QFileInfo(path).fileName()}), now);
    }
    all.commit();
}

void RunStore::forget(const std::vector<RunKey>& keys) {
    queue_.forget(toStrings(keys));
}

std::optional<RunRecord> RunStore::run(const RunKey& key) {
    const std::optional<QueueEntry> entry = queue_.entry(key.toStdString());
    return entry ? std::optional(recordOf(*entry)) : std::nullopt;
}

std::vector<RunRecord> RunStore::leftOpen(const QStringList& living) {
    std::vector<RunRecord> open;
    for (const QueueEntry& entry : queue_.leftOpen(toStrings(living))) {
        open.push_back(recordOf(entry));
    }
    return open;
}

std::vector<ImageRecord> RunStore::images(const ImageFilter& filter) {
    Statement rows = database_.prepare(imagesWhere(conditionsOf(filter)));
    bindFilter(rows, filter);
    return imagesAt(rows);
}

std::vector<ImageRecord> RunStore::withoutThumbnail(int64_t most) {
    Statement rows = database_.prepare(
        imagesWhere("WHERE pictures.id NOT IN (SELECT picture FROM thumbnails)") + " LIMIT ?1",
        most);
    return imagesAt(rows);
}

QByteArray RunStore::thumbnail(int64_t image) {
    Statement row = database_.prepare("SELECT encoded FROM thumbnails WHERE picture = ?1", image);
    return row.next() ? bytesAt(row, 0) : QByteArray();
}

void RunStore::setThumbnail(int64_t image, const QSize& size, const QByteArray& encoded) {
    Transaction all(database_);
    database_.prepare("UPDATE pictures SET width = ?2, height = ?3 WHERE id = ?1")
        .run(image, size.width(), size.height());
    if (database_.changed() > 0) {
        database_.prepare("INSERT OR REPLACE INTO thumbnails VALUES(?1, ?2)").run(image, encoded);
    }
    all.commit();
}

void RunStore::setStarred(const std::vector<int64_t>& images, bool isStarred) {
    Transaction all(database_);
    Statement star = database_.prepare("UPDATE pictures SET starred = ?2 WHERE id = ?1");
    for (const int64_t image : images) {
        star.run(image, isStarred);
    }
    all.commit();
}

void RunStore::setPath(int64_t image, const QString& path) {
    Transaction all(database_);
    Statement before = database_.prepare("SELECT path FROM pictures WHERE id = ?1", image);
    if (before.next()) {
        moveSheetFile(textAt(before, 0), path);
    }
    database_.prepare("DELETE FROM pictures WHERE path = ?1 AND id <> ?2").run(path, image);
    database_.prepare("UPDATE pictures SET path = ?2, found = ?3 WHERE id = ?1")
        .run(image, path, searchable({QFileInfo(path).fileName()}));
    all.commit();
}

void RunStore::forgetImages(const std::vector<int64_t>& images) {
    Transaction all(database_);
    Statement drop = database_.prepare("DELETE FROM pictures WHERE id = ?1");
    for (const int64_t image : images) {
        drop.run(image);
    }
    all.commit();
}

void RunStore::restoreImages(const std::vector<ImageRecord>& images) {
    Transaction all(database_);
    Statement add = database_.prepare(
        "INSERT INTO pictures(id, run, path, found, width, height, starred, made) "
        "SELECT ?1, ?2, ?3, ?4, 0, 0, ?5, ?6 WHERE EXISTS (SELECT 1 FROM runs WHERE key = ?2) "
        "ON CONFLICT DO NOTHING");
    for (const ImageRecord& image : images) {
        add.run(image.id,
                image.run,
                image.path,
                searchable({QFileInfo(image.path).fileName()}),
                image.isStarred,
                image.made);
    }
    all.commit();
}

QStringList RunStore::column(std::string_view statement) {
    Statement row = database_.prepare(statement);
    QSet<QString> values;
    while (row.next()) {
        for (const QString& each : textAt(row, 0).split(kBetween, Qt::SkipEmptyParts)) {
            values.insert(each);
        }
    }
    QStringList sorted = values.values();
    sorted.sort(Qt::CaseInsensitive);
    return sorted;
}

QStringList RunStore::models() {
    return column("SELECT DISTINCT models FROM runs");
}

QStringList RunStore::graphs() {
    return column("SELECT DISTINCT name FROM runs");
}

void RunStore::addSheet(const RunRecord& sheet,
                        const std::string& description,
                        const std::vector<RunKey>& cells) {
    add({sheet});
    Transaction all(database_);
    database_.prepare("INSERT INTO sheets VALUES(?1, ?2, '')")
        .run(sheet.key, QString::fromStdString(description));
    Statement row = database_.prepare("INSERT INTO sheet_cells VALUES(?1, ?2, ?3, '')");
    int64_t index = 0;
    for (const RunKey& cell : cells) {
        row.run(sheet.key, index++, cell);
    }
    all.commit();
}

std::optional<SheetRecord> RunStore::endCell(const RunKey& run, const QStringList& files) {
    database_.prepare("UPDATE sheet_cells SET files = ?2 WHERE run = ?1")
        .run(run, files.join(kFilesApart));
    return database_.changed() > 0 ? sheet(run) : std::nullopt;
}

void RunStore::replaceRuns(const std::vector<std::pair<RunKey, RunKey>>& replacements) {
    Statement row = database_.prepare("UPDATE sheet_cells SET run = ?2, files = '' WHERE run = ?1");
    for (const auto& [before, now] : replacements) {
        row.run(before, now);
    }
}

void RunStore::setSheetImage(const RunKey& key, const QString& path) {
    database_.prepare("UPDATE sheets SET picture = ?2 WHERE run = ?1").run(key, path);
}

void RunStore::moveSheetFile(const QString& before, const QString& now) {
    database_.prepare(kCellFileMoved).run(before, now);
    database_.prepare("UPDATE sheets SET picture = ?2 WHERE picture = ?1").run(before, now);
}

RunKey RunStore::sheetKeyOf(const RunKey& run) {
    Statement row = database_.prepare(
        "SELECT run FROM sheets WHERE run = ?1 UNION ALL SELECT sheet FROM sheet_cells WHERE run = "
        "?1 LIMIT 1",
        run);
    return row.next() ? textAt(row, 0) : RunKey();
}

std::optional<SheetRecord> RunStore::sheet(const RunKey& of) {
    if (!of.isEmpty()) {
        return sheetWith(sheetKeyOf(of));
    }
    Statement row = database_.prepare(
        "SELECT sheets.run FROM sheets JOIN runs ON runs.key = sheets.run ORDER BY runs.asked "
        "DESC, runs.rowid DESC LIMIT 1");
    return row.next() ? sheetWith(textAt(row, 0)) : std::nullopt;
}

std::optional<SheetRecord> RunStore::sheetWith(const RunKey& key) {
    Statement head =
        database_.prepare("SELECT description, picture FROM sheets WHERE run = ?1", key);
    const std::optional<RunRecord> own = run(key);
    if (!own || !head.next()) {
        return std::nullopt;
    }
    SheetRecord sheet{.key = key,
                      .title = own->title,
                      .name = own->words.graph,
                      .graph = own->graph,
                      .description = head.text(0),
                      .image = textAt(head, 1),
                      .cells = {}};
    Statement rows = database_.prepare(
        "SELECT sheet_cells.run, sheet_cells.files, runs.key IS NOT NULL, runs.state, runs.ms, "
        "runs.peak, runs.executed, runs.problem FROM sheet_cells LEFT JOIN runs ON runs.key = "
        "sheet_cells.run WHERE sheet = ?1 ORDER BY cell",
        key);
    while (rows.next()) {
        sheet.cells.push_back({.run = textAt(rows, 0),
                               .isKnown = rows.number(2) != 0,
                               .state = static_cast<RunState>(rows.number(3)),
                               .files = textAt(rows, 1).split(kFilesApart, Qt::SkipEmptyParts),
                               .milliseconds = rows.real(4),
                               .peak = rows.number(5),
                               .executed = static_cast<int>(rows.number(6)),
                               .problem = textAt(rows, 7)});
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
        keys.insert(textAt(rows, 0));
    }
    return sheetsWith(keys);
}

}  // namespace lowtide::ui
