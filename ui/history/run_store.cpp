#include "ui/history/run_store.hpp"

#include "plugin/base/error.hpp"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int64_t kVersion = 1;
/// Who claimed runs and then ended without running them again loses them after so long.
constexpr int64_t kClaimMilliseconds = 10'000;
constexpr QChar kBetween = u'\n';  ///< models of a run

/// Thumbnails lie apart, so that lists of images are short to read.
constexpr std::string_view kTables = R"(
CREATE TABLE graphs(id INTEGER PRIMARY KEY, hash BLOB UNIQUE NOT NULL, packed BLOB NOT NULL);
CREATE TABLE runs(
    key TEXT PRIMARY KEY, state INTEGER NOT NULL, place INTEGER NOT NULL, title TEXT NOT NULL,
    graph INTEGER NOT NULL REFERENCES graphs(id), options TEXT NOT NULL, name TEXT NOT NULL,
    prompt TEXT NOT NULL, models TEXT NOT NULL, seed TEXT NOT NULL, found TEXT NOT NULL,
    asked INTEGER NOT NULL, begun INTEGER NOT NULL, ended INTEGER NOT NULL, ms REAL NOT NULL,
    peak INTEGER NOT NULL, executed INTEGER NOT NULL, problem TEXT NOT NULL);
CREATE INDEX runs_open ON runs(place) WHERE state < 2;
CREATE TABLE pictures(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
    path TEXT UNIQUE NOT NULL, found TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
    starred INTEGER NOT NULL, made INTEGER NOT NULL);
CREATE INDEX pictures_made ON pictures(made DESC, id DESC);
CREATE INDEX pictures_run ON pictures(run);
CREATE TABLE thumbnails(
    picture INTEGER PRIMARY KEY REFERENCES pictures(id) ON DELETE CASCADE, encoded BLOB NOT NULL);
PRAGMA user_version = 1;
)";

/// Tables that came later, and that earlier versions leave alone: they need no new version.
constexpr std::string_view kSheetTables = R"(
CREATE TABLE IF NOT EXISTS sheets(
    run TEXT PRIMARY KEY REFERENCES runs(key) ON DELETE CASCADE, description TEXT NOT NULL,
    picture TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sheet_cells(
    sheet TEXT NOT NULL REFERENCES sheets(run) ON DELETE CASCADE, cell INTEGER NOT NULL,
    run TEXT NOT NULL, files TEXT NOT NULL, PRIMARY KEY(sheet, cell));
CREATE INDEX IF NOT EXISTS sheet_cells_run ON sheet_cells(run);
)";

constexpr std::string_view kRunColumns =
    "runs.key, runs.state, runs.title, graphs.packed, runs.options, runs.name, runs.prompt, "
    "runs.models, runs.seed, runs.asked, runs.begun, runs.ended, runs.ms, runs.peak, "
    "runs.executed, runs.problem FROM runs JOIN graphs ON graphs.id = runs.graph ";

constexpr QChar kFilesApart = u'\n';

/// The line `?1` of a list of lines becomes `?2`.
constexpr std::string_view kCellFileMoved =
    "UPDATE sheet_cells SET files = trim(replace(char(10) || files || char(10), char(10) || ?1 || "
    "char(10), char(10) || ?2 || char(10)), char(10)) WHERE instr(files, ?1)";

std::string runsWhere(std::string_view condition) {
    return "SELECT " + std::string(kRunColumns) + std::string(condition);
}

RunRecord runAt(const Statement& row) {
    RunRecord run;
    run.key = row.text(0);
    run.state = static_cast<RunState>(row.number(1));
    run.title = row.text(2);
    run.graph = qUncompress(row.bytes(3)).toStdString();
    run.options = row.text(4).toStdString();
    run.words = {
        .graph = row.text(5), .prompt = row.text(6), .models = row.text(7), .seed = row.text(8)};
    run.asked = row.number(9);
    run.begun = row.number(10);
    run.ended = row.number(11);
    run.milliseconds = row.real(12);
    run.peak = row.number(13);
    run.executed = static_cast<int>(row.number(14));
    run.problem = row.text(15);
    return run;
}

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
             .run = rows.text(1),
             .path = rows.text(2),
             .title = rows.text(3),
             .size = {static_cast<int>(rows.number(4)), static_cast<int>(rows.number(5))},
             .isStarred = rows.number(6) != 0,
             .made = rows.number(7),
             .hasThumbnail = rows.number(8) != 0,
             .sheet = rows.text(9)});
    }
    return found;
}

QString searchable(const QStringList& texts) {
    return texts.join(kBetween).toCaseFolded();
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
        statement.bind(++index, word);
    }
    for (const QString& exact : {filter.model, filter.graph}) {
        if (!exact.isEmpty()) {
            statement.bind(++index, exact);
        }
    }
    statement.bind(++index, filter.since);
    if (filter.until > 0) {
        statement.bind(++index, filter.until);
    }
}

}  // namespace

RunStore::RunStore(const QString& path, DatabaseUse use) : database_(path, use) {
    if (use == DatabaseUse::OnlyRead) {
        return;
    }
    Transaction all(database_);
    int64_t version = 0;
    {
        Statement asked = database_.prepare("PRAGMA user_version");
        version = asked.next() ? asked.number(0) : 0;
    }
    if (version > kVersion) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is of version {}, this program reads up to {}",
                            QFileInfo(path).fileName().toStdString(),
                            version,
                            kVersion),
                    message("use a newer version of the program"));
    }
    if (version == 0) {
        database_.execute(kTables);
    }
    database_.execute(kSheetTables);
    all.commit();
}

int64_t RunStore::keptGraph(const std::string& text) {
    const QByteArray bytes = QByteArray::fromStdString(text);
    const QByteArray hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
    Statement known = database_.prepare("SELECT id FROM graphs WHERE hash = ?1", hash);
    if (known.next()) {
        return known.number(0);
    }
    database_.prepare("INSERT INTO graphs(hash, packed) VALUES(?1, ?2)")
        .run(hash, qCompress(bytes));
    return database_.lastRow();
}

void RunStore::add(const std::vector<RunRecord>& runs) {
    Transaction all(database_);
    Statement add = database_.prepare(
        "INSERT INTO runs VALUES(?1, ?2, (SELECT coalesce(max(place), 0) + 1 FROM runs WHERE "
        "state < 2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0, 0, -1, '')");
    for (const RunRecord& run : runs) {
        const SearchTerms& words = run.words;
        const int64_t graph = keptGraph(run.graph);
        add.run(run.key,
                static_cast<int64_t>(run.state),
                run.title,
                graph,
                QString::fromStdString(run.options),
                words.graph,
                words.prompt,
                words.models,
                words.seed,
                searchable({run.title, words.prompt, words.models}),
                run.asked);
    }
    all.commit();
}

void RunStore::addLost(const RunKey& key, const QString& title, int64_t now) {
    database_
        .prepare(
            "INSERT INTO runs VALUES(?1, 2, 0, ?2, ?3, '{}', '', '', '', '', ?4, ?5, ?5, ?5, 0, "
            "0, -1, '')")
        .run(key, title, keptGraph({}), searchable({title}), now);
}

void RunStore::setOrder(const std::vector<RunKey>& waiting) {
    Transaction all(database_);
    Statement move = database_.prepare("UPDATE runs SET place = ?2 WHERE key = ?1");
    database_.prepare("UPDATE runs SET place = place + ?1 WHERE state < 2")
        .run(static_cast<int64_t>(waiting.size()));
    int64_t index = 0;
    for (const RunKey& key : waiting) {
        move.run(key, ++index);
    }
    all.commit();
}

void RunStore::begin(const RunKey& key, int64_t now) {
    database_.prepare("UPDATE runs SET state = ?2, begun = ?3 WHERE key = ?1")
        .run(key, static_cast<int64_t>(RunState::Running), now);
}

void RunStore::end(const std::vector<RunRecord>& runs) {
    Transaction all(database_);
    Statement end = database_.prepare(
        "UPDATE runs SET state = ?2, ended = ?3, ms = ?4, peak = ?5, executed = ?6, problem = ?7 "
        "WHERE key = ?1");
    for (const RunRecord& run : runs) {
        end.run(run.key,
                static_cast<int64_t>(run.state),
                run.ended,
                run.milliseconds,
                run.peak,
                run.executed,
                run.problem);
    }
    all.commit();
}

std::vector<RunKey> RunStore::claim(const std::vector<RunKey>& keys, int64_t now) {
    Transaction all(database_);
    // An open run has not ended: until then the column states when it was claimed.
    Statement take =
        database_.prepare("UPDATE runs SET ended = ?2 WHERE key = ?1 AND state < 2 AND ended < ?3");
    std::vector<RunKey> claimed;
    for (const RunKey& key : keys) {
        take.run(key, now, now - kClaimMilliseconds);
        if (database_.changed() > 0) {
            claimed.push_back(key);
        }
    }
    all.commit();
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
    Transaction all(database_);
    Statement drop = database_.prepare("DELETE FROM runs WHERE key = ?1");
    for (const RunKey& key : keys) {
        drop.run(key);
    }
    database_.execute("DELETE FROM graphs WHERE id NOT IN (SELECT graph FROM runs)");
    all.commit();
}

std::optional<RunRecord> RunStore::run(const RunKey& key) {
    Statement row = database_.prepare(runsWhere("WHERE runs.key = ?1"), key);
    return row.next() ? std::optional(runAt(row)) : std::nullopt;
}

int64_t RunStore::runCount() {
    Statement row = database_.prepare("SELECT count(*) FROM runs");
    return row.next() ? row.number(0) : 0;
}

std::vector<RunStore::KeptGraph> RunStore::recentGraphs(int64_t most) {
    Statement row = database_.prepare(
        "SELECT graphs.packed, max(runs.asked), count(*) FROM runs JOIN graphs ON graphs.id = "
        "runs.graph GROUP BY graphs.id ORDER BY 2 DESC LIMIT ?1",
        most);
    std::vector<KeptGraph> graphs;
    while (row.next()) {
        graphs.push_back({.text = qUncompress(row.bytes(0)).toStdString(),
                          .asked = row.number(1),
                          .runs = row.number(2)});
    }
    return graphs;
}

void RunStore::visitGraphs(const std::function<void(const std::string& text)>& visit) {
    Statement row =
        database_.prepare("SELECT packed FROM graphs WHERE id IN (SELECT graph FROM runs)");
    while (row.next()) {
        visit(qUncompress(row.bytes(0)).toStdString());
    }
}

std::vector<RunRecord> RunStore::leftOpen(const QStringList& living) {
    Statement row = database_.prepare(runsWhere("WHERE runs.state < 2 ORDER BY runs.place"));
    std::vector<RunRecord> open;
    while (row.next()) {
        RunRecord run = runAt(row);
        const bool isLiving = std::any_of(living.begin(), living.end(), [&](const QString& each) {
            return run.key.startsWith(each);
        });
        if (!isLiving) {
            open.push_back(std::move(run));
        }
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
    return row.next() ? row.bytes(0) : QByteArray();
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
        moveSheetFile(before.text(0), path);
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
        for (const QString& each : row.text(0).split(kBetween, Qt::SkipEmptyParts)) {
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
                      .description = head.text(0).toStdString(),
                      .image = head.text(1),
                      .cells = {}};
    Statement rows = database_.prepare(
        "SELECT sheet_cells.run, sheet_cells.files, runs.key IS NOT NULL, runs.state, runs.ms, "
        "runs.peak, runs.executed, runs.problem FROM sheet_cells LEFT JOIN runs ON runs.key = "
        "sheet_cells.run WHERE sheet = ?1 ORDER BY cell",
        key);
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
