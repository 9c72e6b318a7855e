#pragma once

#include "plugin/files/os.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lowtide::ui {

class Statement;

enum class DatabaseUse { Write, OnlyRead };

/// Bytes that are no text, as a value of a statement.
struct Blob {
    std::string_view bytes;
};

/// A file of SQLite. What was written when a call returns outlives the program, however it ends;
/// another program may have the file open too. One thread at a time. Where the disk is full every
/// write throws Error{OutOfMemory}, and what was kept before is complete.
class Database {
public:
    /// Whether a folder lies on a disk of this machine; tests give their own.
    using IsLocal = bool (*)(const std::string& folder);

    /// Made where it is missing, unless it is only read; its folder must be there. Error{Corrupt}:
    /// it is no such file, or damaged. Error{NotFound}: it cannot be opened or made. Error{Device}:
    /// another program holds it for longer than a write takes.
    explicit Database(const std::string& path,
                      DatabaseUse use = DatabaseUse::Write,
                      IsLocal isLocal = files::os::isLocal);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Statements without values, one after the other.
    void execute(std::string_view statements);
    [[nodiscard]] Statement prepare(std::string_view statement);
    /// With values for its placeholders, from the first on.
    template <class... Values>
    [[nodiscard]] Statement prepare(std::string_view statement, const Values&... values);
    [[nodiscard]] int64_t lastRow() const;
    /// Whether all pages can be read and belong together; reads the whole file.
    [[nodiscard]] bool isValid();
    /// Rows that the last statement changed.
    [[nodiscard]] int64_t changed() const;

private:
    friend class Statement;
    void chooseJournal(bool isLocal);
    /// Throws an error by what SQLite reports about the last call.
    [[noreturn]] void refuse(int code) const;

    std::string name_;
    sqlite3* handle_ = nullptr;
};

/// A statement with placeholders for values ("?1"), and the row that it is at. Errors as of
/// Database.
class Statement {
public:
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// `index` counts from 1.
    Statement& bind(int index, int64_t value);
    Statement& bind(int index, double value);
    Statement& bind(int index, std::string_view value);
    Statement& bind(int index, const Blob& value);

    template <std::integral Value>
    Statement& bind(int index, Value value) {
        return bind(index, static_cast<int64_t>(value));
    }

    /// Values for its placeholders, from the first on, each by the bindValue() of its type.
    template <class... Values>
    Statement& bindAll(const Values&... values) {
        int index = 0;
        (bindValue(*this, ++index, values), ...);
        return *this;
    }

    /// To the next row; false: there is none.
    [[nodiscard]] bool next();
    /// To the end, for a statement without rows; it can be bound again then.
    void run();

    /// The same with values for its placeholders, from the first on.
    template <class... Values>
    void run(const Values&... values) {
        bindAll(values...).run();
    }

    /// Of the row, `column` counts from 0.
    [[nodiscard]] int64_t number(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::string bytes(int column) const;

private:
    friend class Database;

    Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

    void require(int code) const;

    Database* database_;
    sqlite3_stmt* handle_;
};

/// Libraries with other types of texts have their own.
template <class Value>
void bindValue(Statement& statement, int index, const Value& value) {
    statement.bind(index, value);
}

template <class... Values>
Statement Database::prepare(std::string_view statement, const Values&... values) {
    Statement prepared = prepare(statement);
    prepared.bindAll(values...);
    return prepared;
}

/// All or nothing of what is written while it lives: taken back unless it was committed.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit();

private:
    Database& database_;
    bool isOpen_ = true;
};

}  // namespace lowtide::ui
