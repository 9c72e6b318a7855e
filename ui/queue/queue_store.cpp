#include "ui/queue/queue_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <new>
#include <zlib.h>

namespace lowtide::ui {

namespace {

constexpr int64_t kVersion = 1;
/// Who claimed runs and then ended without running them again loses them after so long.
constexpr int64_t kClaimMilliseconds = 10'000;
constexpr int64_t kPagesWorthwhile = 4096;  ///< 16 MiB, of which it is worth the time to free some

/// The tables of the file. Thumbnails lie apart, so that lists of images are short to read.
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
constexpr std::string_view kLaterTables = R"(
CREATE TABLE IF NOT EXISTS sheets(
    run TEXT PRIMARY KEY REFERENCES runs(key) ON DELETE CASCADE, description TEXT NOT NULL,
    picture TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sheet_cells(
    sheet TEXT NOT NULL REFERENCES sheets(run) ON DELETE CASCADE, cell INTEGER NOT NULL,
    run TEXT NOT NULL, files TEXT NOT NULL, PRIMARY KEY(sheet, cell));
CREATE INDEX IF NOT EXISTS sheet_cells_run ON sheet_cells(run);
CREATE TABLE IF NOT EXISTS run_results(
    run TEXT PRIMARY KEY REFERENCES runs(key) ON DELETE CASCADE, result TEXT NOT NULL);
)";

constexpr std::string_view kColumns =
    "runs.key, runs.state, runs.title, graphs.packed, runs.options, runs.name, runs.prompt, "
    "runs.models, runs.seed, runs.asked, runs.begun, runs.ended, runs.ms, runs.peak, "
    "runs.executed, runs.problem, coalesce(run_results.result, '') FROM runs JOIN graphs ON "
    "graphs.id = runs.graph LEFT JOIN run_results ON run_results.run = runs.key ";

constexpr std::string_view kAdd =
    "INSERT INTO runs VALUES(?1, ?2, (SELECT coalesce(max(place), 0) + 1 FROM runs WHERE "
    "state < 2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0, 0, -1, '')";

/// In front of a compressed graph: its length, the highest byte first.
constexpr size_t kLengthBytes = 4;

std::string packed(const std::string& text) {
    uLongf length = compressBound(text.size());
    std::string bytes(kLengthBytes + length, '\0');
    for (size_t i = 0; i < kLengthBytes; ++i) {
        bytes[i] = static_cast<char>(text.size() >> 8 * (kLengthBytes - 1 - i) & 0xff);
    }
    if (text.empty()) {
        bytes.resize(kLengthBytes);
        return bytes;
    }
    const int code = compress(reinterpret_cast<Bytef*>(bytes.data() + kLengthBytes),
                              &length,
                              reinterpret_cast<const Bytef*>(text.data()),
                              text.size());
    if (code != Z_OK) {
        throw std::bad_alloc();
    }
    bytes.resize(kLengthBytes + length);
    return bytes;
}

/// Empty: it is damaged, or larger than any that is taken.
std::string unpacked(const std::string& bytes) {
    size_t size = 0;
    for (size_t i = 0; i < std::min(kLengthBytes, bytes.size()); ++i) {
        size = size << 8 | static_cast<unsigned char>(bytes[i]);
    }
    if (bytes.size() <= kLengthBytes || size > QueueStore::kMostGraphBytes) {
        return {};
    }
    std::string text(size, '\0');
    uLongf length = size;
    const int code = uncompress(reinterpret_cast<Bytef*>(text.data()),
                                &length,
                                reinterpret_cast<const Bytef*>(bytes.data() + kLengthBytes),
                                bytes.size() - kLengthBytes);
    text.resize(code == Z_OK ? length : 0);
    return text;
}

/// SHA-256 as 32 bytes.
std::string hashOf(const std::string& text) {
    const std::string digits = sha256Hex(text);
    std::string bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned value = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        bytes.push_back(static_cast<char>(value));
    }
    return bytes;
}

QueueEntry entryAt(const Statement& row) {
    QueueEntry entry;
    entry.key = row.text(0);
    entry.state = static_cast<RunState>(row.number(1));
    entry.title = row.text(2);
    entry.graph = unpacked(row.bytes(3));
    entry.options = row.text(4);
    entry.name = row.text(5);
    entry.prompt = row.text(6);
    entry.models = row.text(7);
    entry.seed = row.text(8);
    entry.asked = row.number(9);
    entry.begun = row.number(10);
    entry.ended = row.number(11);
    entry.milliseconds = row.real(12);
    entry.peak = row.number(13);
    entry.executed = static_cast<int>(row.number(14));
    entry.problem = row.text(15);
    entry.result = row.text(16);
    return entry;
}

std::string entriesWhere(std::string_view condition) {
    return "SELECT " + std::string(kColumns) + std::string(condition);
}

std::vector<QueueEntry> entriesOf(Statement rows) {
    std::vector<QueueEntry> entries;
    while (rows.next()) {
        entries.push_back(entryAt(rows));
    }
    return entries;
}

int64_t numberOf(Statement asked) {
    return asked.next() ? asked.number(0) : 0;
}

void checkText(const QueueEntry& entry, const std::string& text) {
    if (text.size() > QueueStore::kMostTextBytes) {
        throw Error(ErrorKind::InvalidInput,
                    message("a text of the run {} has {} bytes; at most {} are kept",
                            quotedName(entry.title),
                            text.size(),
                            QueueStore::kMostTextBytes));
    }
}

void checkBounds(const QueueEntry& entry) {
    if (entry.graph.size() > QueueStore::kMostGraphBytes) {
        throw Error(ErrorKind::InvalidInput,
                    message("the graph of the run {} has {} bytes; at most {} are kept",
                            quotedName(entry.title),
                            entry.graph.size(),
                            QueueStore::kMostGraphBytes));
    }
    for (const std::string* text : {&entry.key,
                                    &entry.title,
                                    &entry.options,
                                    &entry.name,
                                    &entry.prompt,
                                    &entry.models,
                                    &entry.seed,
                                    &entry.found}) {
        checkText(entry, *text);
    }
}

}  // namespace

QueueStore::QueueStore(const std::string& path, DatabaseUse use) : database_(path, use) {
    if (use == DatabaseUse::OnlyRead) {
        return;
    }
    Transaction all(database_);
    const int64_t version = numberOf(database_.prepare("PRAGMA user_version"));
    if (version > kVersion) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is of version {}, this program reads up to {}",
                            std::filesystem::path(path).filename().string(),
                            version,
                            kVersion),
                    message("use a newer version of the program"));
    }
    if (version == 0) {
        database_.execute(kTables);
    }
    database_.execute(kLaterTables);
    all.commit();
}

int64_t QueueStore::keptGraph(const std::string& text) {
    const std::string hash = hashOf(text);
    Statement known = database_.prepare("SELECT id FROM graphs WHERE hash = ?1", Blob{hash});
    if (known.next()) {
        return known.number(0);
    }
    const std::string bytes = packed(text);
    database_.prepare("INSERT INTO graphs(hash, packed) VALUES(?1, ?2)")
        .run(Blob{hash}, Blob{bytes});
    return database_.lastRow();
}

void QueueStore::add(std::span<const QueueEntry> entries) {
    std::ranges::for_each(entries, checkBounds);
    Transaction all(database_);
    Statement add = database_.prepare(kAdd);
    for (const QueueEntry& entry : entries) {
        const int64_t graph = keptGraph(entry.graph);
        add.run(entry.key,
                static_cast<int64_t>(entry.state),
                entry.title,
                graph,
                entry.options,
                entry.name,
                entry.prompt,
                entry.models,
                entry.seed,
                entry.found,
                entry.asked);
    }
    checkOpen();
    all.commit();
}

void QueueStore::checkOpen() {
    if (numberOf(database_.prepare("SELECT count(*) FROM runs WHERE state < 2")) > kMostOpen) {
        throw Error(ErrorKind::InvalidInput,
                    message("more than {} runs would wait", kMostOpen),
                    message("wait until some have ended, or take some back"));
    }
}

void QueueStore::setOrder(std::span<const std::string> waiting) {
    Transaction all(database_);
    Statement move = database_.prepare("UPDATE runs SET place = ?2 WHERE key = ?1");
    database_.prepare("UPDATE runs SET place = place + ?1 WHERE state < 2")
        .run(static_cast<int64_t>(waiting.size()));
    int64_t index = 0;
    for (const std::string& key : waiting) {
        move.run(key, ++index);
    }
    all.commit();
}

void QueueStore::begin(const std::string& key, int64_t now) {
    database_.prepare("UPDATE runs SET state = ?2, begun = ?3 WHERE key = ?1")
        .run(key, static_cast<int64_t>(RunState::Running), now);
}

std::optional<QueueEntry> QueueStore::beginNext(const std::string& owner, int64_t now) {
    Transaction all(database_);
    std::optional<std::string> key;
    {
        Statement first = database_.prepare(
            "SELECT key FROM runs WHERE state = 0 AND substr(key, 1, length(?1)) = ?1 "
            "ORDER BY place LIMIT 1",
            owner);
        if (first.next()) {
            key = first.text(0);
        }
    }
    if (!key) {
        return std::nullopt;
    }
    begin(*key, now);
    std::optional<QueueEntry> begun = entry(*key);
    all.commit();
    return begun;
}

void QueueStore::end(std::span<const QueueEntry> entries) {
    for (const QueueEntry& entry : entries) {
        checkText(entry, entry.problem);
        checkText(entry, entry.result);
    }
    Transaction all(database_);
    Statement end = database_.prepare(
        "UPDATE runs SET state = ?2, ended = ?3, ms = ?4, peak = ?5, executed = ?6, problem = ?7 "
        "WHERE key = ?1");
    Statement keep = database_.prepare(
        "INSERT OR REPLACE INTO run_results SELECT key, ?2 FROM runs WHERE key = ?1");
    for (const QueueEntry& entry : entries) {
        end.run(entry.key,
                static_cast<int64_t>(entry.state),
                entry.ended,
                entry.milliseconds,
                entry.peak,
                entry.executed,
                entry.problem);
        if (!entry.result.empty()) {
            keep.run(entry.key, entry.result);
        }
    }
    all.commit();
}

std::vector<std::string> QueueStore::claim(std::span<const std::string> keys, int64_t now) {
    Transaction all(database_);
    // An open run has not ended: until then the column states when it was claimed.
    Statement take =
        database_.prepare("UPDATE runs SET ended = ?2 WHERE key = ?1 AND state < 2 AND ended < ?3");
    std::vector<std::string> claimed;
    for (const std::string& key : keys) {
        take.run(key, now, now - kClaimMilliseconds);
        if (database_.changed() > 0) {
            claimed.push_back(key);
        }
    }
    all.commit();
    return claimed;
}

std::vector<std::string> QueueStore::takeOver(std::span<const Handover> runs, int64_t now) {
    Transaction all(database_);
    Statement repeat = database_.prepare(
        "INSERT INTO runs SELECT ?2, 0, (SELECT max(place) + 1 FROM runs WHERE state < 2), title, "
        "graph, options, name, prompt, models, seed, found, ?3, 0, 0, 0, 0, -1, '' FROM runs WHERE "
        "key = ?1 AND state < 2 AND ended < ?4");
    Statement close = database_.prepare("UPDATE runs SET state = ?2, ended = ?3 WHERE key = ?1");
    std::vector<std::string> taken;
    for (const Handover& run : runs) {
        repeat.run(run.key, run.newKey, now, now - kClaimMilliseconds);
        if (database_.changed() > 0) {
            taken.push_back(run.newKey);
            close.run(run.key, static_cast<int64_t>(RunState::Cancelled), now);
        }
    }
    all.commit();
    return taken;
}

void QueueStore::forget(std::span<const std::string> keys) {
    Transaction all(database_);
    Statement drop = database_.prepare("DELETE FROM runs WHERE key = ?1");
    for (const std::string& key : keys) {
        drop.run(key);
    }
    database_.execute("DELETE FROM graphs WHERE id NOT IN (SELECT graph FROM runs)");
    all.commit();
}

void QueueStore::prune(int64_t most) {
    Transaction all(database_);
    database_
        .prepare(
            "DELETE FROM runs WHERE state >= 2 AND key NOT IN (SELECT run FROM pictures) AND "
            "key NOT IN (SELECT run FROM sheets) AND key NOT IN (SELECT run FROM sheet_cells) "
            "AND key NOT IN (SELECT key FROM runs WHERE state >= 2 ORDER BY ended DESC LIMIT "
            "?1)")
        .run(most);
    if (database_.changed() > 0) {
        database_.execute("DELETE FROM graphs WHERE id NOT IN (SELECT graph FROM runs)");
    }
    all.commit();
    const int64_t pages = numberOf(database_.prepare("PRAGMA page_count"));
    const int64_t unused = numberOf(database_.prepare("PRAGMA freelist_count"));
    if (pages > kPagesWorthwhile && unused > pages / 4) {
        database_.execute("VACUUM");
    }
}

std::optional<QueueEntry> QueueStore::entry(const std::string& key) {
    Statement row = database_.prepare(entriesWhere("WHERE runs.key = ?1"), key);
    return row.next() ? std::optional(entryAt(row)) : std::nullopt;
}

int64_t QueueStore::count() {
    return numberOf(database_.prepare("SELECT count(*) FROM runs"));
}

std::vector<QueueEntry> QueueStore::leftOpen(std::span<const std::string> living) {
    std::vector<QueueEntry> open =
        entriesOf(database_.prepare(entriesWhere("WHERE runs.state < 2 ORDER BY runs.place")));
    std::erase_if(open, [living](const QueueEntry& entry) {
        return std::ranges::any_of(
            living, [&](const std::string& owner) { return entry.key.starts_with(owner); });
    });
    return open;
}

std::vector<QueueEntry> QueueStore::lastEnded(int64_t most) {
    return entriesOf(database_.prepare(
        entriesWhere("WHERE runs.state >= 2 ORDER BY runs.ended DESC, runs.rowid DESC LIMIT ?1"),
        most));
}

std::vector<QueueStore::KeptGraph> QueueStore::recentGraphs(int64_t most) {
    Statement row = database_.prepare(
        "SELECT graphs.packed, max(runs.asked), count(*) FROM runs JOIN graphs ON graphs.id = "
        "runs.graph GROUP BY graphs.id ORDER BY 2 DESC LIMIT ?1",
        most);
    std::vector<KeptGraph> graphs;
    while (row.next()) {
        graphs.push_back(
            {.text = unpacked(row.bytes(0)), .asked = row.number(1), .runs = row.number(2)});
    }
    return graphs;
}

void QueueStore::visitGraphs(const std::function<void(const std::string& text)>& visit) {
    Statement row =
        database_.prepare("SELECT packed FROM graphs WHERE id IN (SELECT graph FROM runs)");
    while (row.next()) {
        visit(unpacked(row.bytes(0)));
    }
}

}  // namespace lowtide::ui
