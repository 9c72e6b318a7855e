#pragma once

#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"

#include <QtTest/QtTest>

#include <functional>
#include <string>
#include <vector>

namespace lowtide::testing {

/// Bytes of a file that a reader refuses, and how.
struct RefusedBytes {
    const char* row;
    std::string bytes;
    ErrorKind kind;
    const char* expected;  ///< a part of the message
};

/// A row for each, which holds its index.
inline void addRows(const std::vector<RefusedBytes>& all) {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const RefusedBytes& refused : all) {
        QTest::newRow(refused.row) << index++;
    }
}

/// Checks that `read` ends as the row states, with `file` named.
inline void checkRow(const std::vector<RefusedBytes>& all,
                     const char* file,
                     const std::function<void(const std::string&)>& read) {
    QFETCH(int, index);
    const RefusedBytes& refused = all[static_cast<size_t>(index)];
    const auto error = errorOf([&] { read(refused.bytes); });
    QVERIFY(error);
    QVERIFY2(error->kind() == refused.kind, error->what());
    QVERIFY2(error->message().str().find(refused.expected) != std::string::npos, error->what());
    QVERIFY2(error->message().str().find(file) != std::string::npos, error->what());
}

}  // namespace lowtide::testing
