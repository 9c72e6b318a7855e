#include "nodes/engine/stage_errors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <new>

namespace stage_errors_test {

using namespace lowtide;

/// Whatever a stage throws: kind, bytes, no backtrace, no build paths.
class StageErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void leavesAsOneLineOfOurs_data() {
        QTest::addColumn<int>("thrown");
        QTest::addColumn<int>("kind");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("torch") << 0 << static_cast<int>(ErrorKind::Internal) << qint64{0};
        QTest::newRow("torch, CPU memory")
            << 1 << static_cast<int>(ErrorKind::OutOfMemory) << qint64{1} * 1234567890123456;
        QTest::newRow("torch, device memory")
            << 2 << static_cast<int>(ErrorKind::OutOfMemory) << qint64{5} * (1 << 29);
        QTest::newRow("host memory") << 3 << static_cast<int>(ErrorKind::OutOfMemory) << qint64{0};
        QTest::newRow("standard") << 4 << static_cast<int>(ErrorKind::Internal) << qint64{0};
        QTest::newRow("anything") << 5 << static_cast<int>(ErrorKind::Internal) << qint64{0};
        QTest::newRow("ours") << 6 << static_cast<int>(ErrorKind::Cancelled) << qint64{0};
    }

    void leavesAsOneLineOfOurs() {
        QFETCH(int, thrown);
        QFETCH(int, kind);
        QFETCH(qint64, bytes);
        const auto work = [&]() -> int {
            switch (thrown) {
                case 0:
                    return static_cast<int>(at::ones({2, 3}).matmul(at::ones({2, 3})).numel());
                case 1:
                    return static_cast<int>(at::empty({1234567890123456}, at::kByte).numel());
                case 2:
                    TORCH_CHECK_WITH(OutOfMemoryError,
                                     false,
                                     "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0");
                case 3:
                    throw std::bad_alloc();
                case 4:
                    throw std::runtime_error("first line\nsecond line");
                case 5:
                    throw 7;
                default:
                    throw Error(ErrorKind::Cancelled, Message("stopped"));
            }
        };
        const auto error = testing::errorOf([&] { (void)nodes::withErrorsOf("denoise", work); });
        QVERIFY(error);
        QCOMPARE(static_cast<int>(error->kind()), kind);
        QCOMPARE(error->bytesAsked(), bytes);
        for (const char* part : {"\n", ".cpp", "frame #", "enforce fail", "second line"}) {
            QVERIFY2(error->message().str().find(part) == std::string::npos,
                     error->message().str().c_str());
        }
    }
};

LOWTIDE_TEST(StageErrorsTest)

}  // namespace stage_errors_test

#include "stage_errors_test.moc"
