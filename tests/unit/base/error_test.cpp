#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <set>

namespace error_test {

using namespace lowtide;

class ErrorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void carriesWhatWentWrong() {
        Error error(
            ErrorKind::OutOfMemory, Message("no space"), Message("close something"), "width");
        error.withBytesAsked(42);
        QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        QCOMPARE(error.message().str(), std::string("no space"));
        QCOMPARE(error.hint().str(), std::string("close something"));
        QCOMPARE(error.item(), std::string("width"));
        QCOMPARE(error.bytesAsked(), int64_t{42});
        QCOMPARE(std::string(error.what()), std::string("no space"));
    }

    void everyKindHasACodeOfItsOwn() {
        std::set<std::string_view> codes;
        for (int kind = 0; kind <= static_cast<int>(ErrorKind::Internal); ++kind) {
            codes.insert(codeOf(static_cast<ErrorKind>(kind)));
        }
        QCOMPARE(codes.size(), size_t{8});
        QCOMPARE(codeOf(ErrorKind::OutOfMemory), std::string_view("out_of_memory"));
    }
};

LOWTIDE_TEST(ErrorTest)

}  // namespace error_test

#include "error_test.moc"
