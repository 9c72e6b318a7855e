#include "ui/queue/database.hpp"

#include "plugin/base/error.hpp"

#include <cerrno>
#include <filesystem>
#include <sqlite3.h>
#include <string>
#include <utility>

namespace lowtide::ui {

namespace {

/// Another program has it for as long as one of its writes.
constexpr int kPatienceMilliseconds = 250;

ErrorKind kindOf(int code) {
    switch (code) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return ErrorKind::Corrupt;
        case SQLITE_FULL:
        case SQLITE_NOMEM:
            return ErrorKind::OutOfMemory;
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case SQLITE_ERROR:
            return ErrorKind::Internal;
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ErrorKind::NotFound;
        default:
            return ErrorKind::Device;
    }
}

bool isFull(int systemError) {
    return systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG;
}

/// SQLite has a code of its own for a disk without space alone: that a quota or the largest size of
/// a file was reached is known to the files of the database and of its log.
bool isFull(sqlite3* handle, int code) {
    if ((code & 0xff) != SQLITE_IOERR) {
        return (code & 0xff) == SQLITE_FULL;
    }
    int ofFile = 0;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &ofFile);
    int ofLog = 0;
    sqlite3_file* log = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods) {
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &ofLog);
    }
    return isFull(ofFile) || isFull(ofLog);
}

/// That `path` lies in.
std::string folderOf(const std::string& path) {
    std::error_code unknown;
    const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
    return (unknown ? std::filesystem::path(path) : whole).parent_path().string();
}

}  // namespace

Database::Database(const std::string& path, DatabaseUse use, IsLocal isLocal)
    : name_(std::filesystem::path(path).filename().string()) {
    const int access = use == DatabaseUse::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                 : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(path.c_str(), &handle_, access | SQLITE_OPEN_NOMUTEX, nullptr);
    try {
        if (code != SQLITE_OK) {
            refuse(code);
        }
        sqlite3_busy_timeout(handle_, kPatienceMilliseconds);
        if (use == DatabaseUse::Write) {
            chooseJournal(isLocal(folderOf(path)));
            execute("PRAGMA foreign_keys = ON");
        }
    } catch (...) {
        sqlite3_close_v2(handle_);
        throw;
    }
}

/// The write-ahead log needs memory that all its programs share, which machines of a
/// network do not (sqlite.org/wal.html).
void Database::chooseJournal(bool isLocal) {
    if (isLocal) {
        // What is committed lies in the system's memory at once and on the disk a little later.
        execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    } else {
        execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
    }
}

Database::~Database() {
    sqlite3_close_v2(handle_);
}

void Database::refuse(int code) const {
    if (isFull(handle_, code)) {
        throw Error(ErrorKind::OutOfMemory,
                    message("{}: the disk is full", name_),
                    message("free some space; nothing that was kept before is lost"));
    }
    const char* reason = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
    throw Error(kindOf(code & 0xff), message("{}: {}", name_, reason));
}

void Database::execute(std::string_view statements) {
    const std::string text(statements);
    const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        refuse(code);
    }
}

Statement Database::prepare(std::string_view statement) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v2(
        handle_, statement.data(), static_cast<int>(statement.size()), &handle, nullptr);
    if (code != SQLITE_OK) {
        refuse(code);
    }
    return {*this, handle};
}

bool Database::isValid() {
    Statement checked = prepare("PRAGMA quick_check(1)");
    return checked.next() && checked.text(0) == "ok";
}

int64_t Database::lastRow() const {
    return sqlite3_last_insert_rowid(handle_);
}

int64_t Database::changed() const {
    return sqlite3_changes64(handle_);
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

void Statement::require(int code) const {
    if (code != SQLITE_OK) {
        database_->refuse(code);
    }
}

Statement& Statement::bind(int index, int64_t value) {
    require(sqlite3_bind_int64(handle_, index, value));
    return *this;
}

Statement& Statement::bind(int index, double value) {
    require(sqlite3_bind_double(handle_, index, value));
    return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
    require(sqlite3_bind_text64(handle_,
                                index,
                                value.empty() ? "" : value.data(),  // not NULL
                                value.size(),
                                SQLITE_TRANSIENT,
                                SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int index, const Blob& value) {
    require(sqlite3_bind_blob64(handle_,
                                index,
                                value.bytes.empty() ? "" : value.bytes.data(),
                                value.bytes.size(),
                                SQLITE_TRANSIENT));
    return *this;
}

bool Statement::next() {
    const int code = sqlite3_step(handle_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        sqlite3_reset(handle_);
        database_->refuse(code);
    }
    return code == SQLITE_ROW;
}

void Statement::run() {
    while (next()) {
    }
    require(sqlite3_reset(handle_));
}

int64_t Statement::number(int column) const {
    return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return text ? std::string(text, static_cast<size_t>(sqlite3_column_bytes(handle_, column)))
                : std::string();
}

std::string Statement::bytes(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
    return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(handle_, column)))
                 : std::string();
}

Transaction::Transaction(Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (isOpen_) {
        try {
            database_.execute("ROLLBACK");
        } catch (const Error&) {  // SQLite took it back already
        }
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    isOpen_ = false;
}

}  // namespace lowtide::ui
