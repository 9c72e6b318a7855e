// What can still be read of a damaged file of runs.
#include "plugin/base/error.hpp"
#include "ui/history/qt_values.hpp"
#include "ui/history/run_store.hpp"

#include <QDir>
#include <QFileInfo>

#include <array>
#include <limits>
#include <map>
#include <string>

namespace lowtide::ui {

namespace {

constexpr int64_t kLastRow = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostRows = 10'000'000;  ///< of a table; a damaged tree may repeat its leaves

enum class Value : char { Number = 'i', Real = 'r', Text = 't', Bytes = 'b' };

struct Table {
    std::string_view name;
    std::string_view columns;  ///< a Value each, in the order of the table
};

constexpr std::array<Table, 6> kCopiedTables = {{{"graphs", "ibb"},
                                                 {"runs",
                                                  "tiititttttt"
                                                  "iiiriit"},
                                                 {"pictures", "itttiiii"},
                                                 {"sheets", "ttt"},
                                                 {"sheet_cells", "titt"},
                                                 {"run_results", "tt"}}};

void copyValue(const Statement& from, int column, Value kind, Statement& to, int index) {
    switch (kind) {
        case Value::Number:
            to.bind(index, from.number(column));
            return;
        case Value::Real:
            to.bind(index, from.real(column));
            return;
        case Value::Text:
            to.bind(index, from.text(column));
            return;
        case Value::Bytes:
            to.bind(index, Blob{from.bytes(column)});
            return;
    }
}

/// The new file cannot be written: unlike every error of the damaged one, it ends the salvage.
struct Unwritable {
    Error error;
};

void runAdding(Statement& add) {
    try {
        add.run();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Internal) {  // a row that contradicts another is left out
            throw Unwritable{error};
        }
    }
}

/// Rows of one table, from one file to another.
class RowCopy {
public:
    RowCopy(Database& from, Database& to, const Table& table)
        : from_(from), table_(table), add_(to.prepare(addStatement(table))) {}

    /// Over every page that can be read: behind one that cannot, the next row is looked for in
    /// steps that double, and the rows before it are read backwards.
    void copyAll() {
        int64_t first = 0;
        int64_t step = 1;
        while (rows_ < kMostRows && step <= kLastRow - first) {
            const int64_t last = copyFrom(first);
            if (last == kLastRow) {
                return;
            }
            if (last >= first) {
                first = last + 1;
                step = 1;
            }
            copyBackwards(first, first + step);
            first += step;
            step *= 2;
        }
    }

private:
    static std::string addStatement(const Table& table) {
        std::string placeholders;
        for (size_t i = 1; i <= table.columns.size(); ++i) {
            placeholders += (i == 1 ? "?" : ", ?") + std::to_string(i);
        }
        return "INSERT OR IGNORE INTO " + std::string(table.name) + " VALUES(" + placeholders + ")";
    }

    /// The last row that could be read from `first` on, less than that: none; kLastRow: all could.
    int64_t copyFrom(int64_t first) {
        int64_t last = first - 1;
        try {
            Statement rows = from_.prepare("SELECT rowid, * FROM " + std::string(table_.name) +
                                               " WHERE rowid >= ?1 ORDER BY rowid",
                                           first);
            while (rows.next()) {
                if (rows.number(0) <= last || ++rows_ > kMostRows) {
                    return last;
                }
                last = rows.number(0);
                copyRow(rows);
            }
            return kLastRow;
        } catch (const Error&) {  // damage, whatever SQLite calls it
            return last;
        }
    }

    /// Of the rows `first` to `end`, without that one, the last until one cannot be read.
    void copyBackwards(int64_t first, int64_t end) {
        try {
            Statement rows =
                from_.prepare("SELECT rowid, * FROM " + std::string(table_.name) +
                                  " WHERE rowid >= ?1 AND rowid < ?2 ORDER BY rowid DESC",
                              first,
                              end);
            while (rows.next() && ++rows_ <= kMostRows) {
                copyRow(rows);
            }
        } catch (const Error&) {  // damage, whatever SQLite calls it
        }
    }

    void copyRow(const Statement& row) {
        for (size_t i = 0; i < table_.columns.size(); ++i) {
            const int column = static_cast<int>(i);
            copyValue(row, column + 1, static_cast<Value>(table_.columns[i]), add_, column + 1);
        }
        runAdding(add_);
    }

    Database& from_;
    Table table_;
    Statement add_;
    int64_t rows_ = 0;
};

/// An image as the indexes of its table know it.
struct IndexedImage {
    QString path;
    RunKey run;
    int64_t made = 0;
};

using IndexedImages = std::map<int64_t, IndexedImage>;

/// From both ends, so that one page that cannot be read hides little.
template <class Take>
void readIndex(Database& from, const std::string& column, const std::string& index, Take&& take) {
    for (const char* order : {"", " DESC"}) {
        try {
            Statement rows = from.prepare("SELECT rowid, " + column + " FROM pictures INDEXED BY " +
                                          index + " ORDER BY " + column + order);
            for (int64_t row = 0; row < kMostRows && rows.next(); ++row) {
                take(rows.number(0), rows);
            }
        } catch (const Error&) {  // damage, whatever SQLite calls it
        }
    }
}

/// Images whose own page is lost.
void addIndexedImages(Database& from, Database& to) {
    IndexedImages found;
    readIndex(from, "path", "sqlite_autoindex_pictures_1", [&](int64_t id, const Statement& row) {
        if (QString path = textAt(row, 1); QDir::isAbsolutePath(path)) {
            found[id].path = std::move(path);
        }
    });
    readIndex(from, "run", "pictures_run", [&](int64_t id, const Statement& row) {
        if (const auto known = found.find(id); known != found.end()) {
            known->second.run = textAt(row, 1);
        }
    });
    readIndex(from, "made", "pictures_made", [&](int64_t id, const Statement& row) {
        if (const auto known = found.find(id); known != found.end()) {
            known->second.made = row.number(1);
        }
    });
    Statement add = to.prepare(
        "INSERT OR IGNORE INTO pictures(id, run, path, found, width, height, starred, made) "
        "VALUES(?1, ?2, ?3, ?4, 0, 0, 0, ?5)");
    for (const auto& [id, image] : found) {
        const RunKey run = image.run.isEmpty() ? QStringLiteral("lost:%1").arg(id) : image.run;
        add.bindAll(
            id, run, image.path, QFileInfo(image.path).fileName().toCaseFolded(), image.made);
        runAdding(add);
    }
}

/// Rows that name others which are lost.
constexpr std::string_view kRepair = R"(
UPDATE runs SET state = 2 WHERE state NOT BETWEEN 0 AND 4;
INSERT INTO runs SELECT run, 2, 0, found, 0, '{}', '', '', '', '', found, made, made, made, 0, 0, -1, ''
    FROM pictures WHERE run NOT IN (SELECT key FROM runs) GROUP BY run;
DELETE FROM sheets WHERE run NOT IN (SELECT key FROM runs);
DELETE FROM sheet_cells WHERE sheet NOT IN (SELECT run FROM sheets);
DELETE FROM run_results WHERE run NOT IN (SELECT key FROM runs);
)";

/// For its life; nothing is enforced where rows may come before those that they point to.
class WithoutForeignKeys {
public:
    explicit WithoutForeignKeys(Database& database) : database_(database) {
        database_.execute("PRAGMA foreign_keys = OFF");
    }

    ~WithoutForeignKeys() {
        try {
            database_.execute("PRAGMA foreign_keys = ON");
        } catch (const Error&) {  // nothing more can be done with a connection that takes no pragma
        }
    }

    WithoutForeignKeys(const WithoutForeignKeys&) = delete;
    WithoutForeignKeys& operator=(const WithoutForeignKeys&) = delete;

private:
    Database& database_;
};

int64_t countOf(Database& database, std::string_view statement) {
    Statement row = database.prepare(statement);
    return row.next() ? row.number(0) : 0;
}

}  // namespace

RunStore::Salvaged RunStore::salvage(const QString& damaged) {
    const WithoutForeignKeys untilAllIsThere(database_);
    try {
        Database lost(damaged.toStdString(), DatabaseUse::OnlyRead);
        Transaction all(database_);
        for (const Table& table : kCopiedTables) {
            RowCopy(lost, database_, table).copyAll();
        }
        addIndexedImages(lost, database_);
        database_.execute(kRepair);
        database_.prepare("UPDATE runs SET graph = ?1 WHERE graph NOT IN (SELECT id FROM graphs)")
            .run(queue_.keptGraph({}));
        all.commit();
    } catch (const Unwritable& failed) {
        throw failed.error;
    }
    return {.runs = countOf(database_, "SELECT count(*) FROM runs"),
            .images = countOf(database_, "SELECT count(*) FROM pictures")};
}

}  // namespace lowtide::ui
