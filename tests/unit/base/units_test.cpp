#include "plugin/base/units.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace units_test {

using namespace lowtide;

class UnitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsSizes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("plain") << "4096" << qint64{4096};
        QTest::newRow("zero") << "0" << qint64{0};
        QTest::newRow("B") << "12B" << qint64{12};
        QTest::newRow("k") << "64k" << qint64{65536};
        QTest::newRow("KiB") << "1 KiB" << qint64{1024};
        QTest::newRow("M") << "512M" << qint64{536870912};
        QTest::newRow("MiB") << "512 MiB" << qint64{536870912};
        QTest::newRow("GB is 2^30") << "1GB" << qint64{1073741824};
        QTest::newRow("fraction") << "1.5G" << qint64{1610612736};
        QTest::newRow("T") << "2T" << qint64{2199023255552};
        QTest::newRow("spaces around") << "  8GiB \n" << qint64{8589934592};
        QTest::newRow("any case") << "8gIb" << qint64{8589934592};
    }

    void readsSizes() {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        QCOMPARE(parseBytes(text.toStdString()), std::optional<Bytes>(bytes));
    }

    void refusesWhatIsNoSize_data() {
        QTest::addColumn<QString>("text");
        const QStringList texts = {"",
                                   " ",
                                   "-1",
                                   "GiB",
                                   "8 G i B",
                                   "8X",
                                   "0x10",
                                   "nan",
                                   "inf",
                                   "1e300",
                                   "1,5G",
                                   "9000000T",
                                   "8GiBx",
                                   "1 2"};
        for (const QString& text : texts) {
            QTest::newRow(qPrintable("'" + text + "'")) << text;
        }
    }

    void refusesWhatIsNoSize() {
        QFETCH(QString, text);
        QCOMPARE(parseBytes(text.toStdString()), std::nullopt);
    }

    void formatsForReaders_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << qint64{0} << "0 B";
        QTest::newRow("bytes") << qint64{1023} << "1023 B";
        QTest::newRow("KiB") << qint64{1024} << "1.0 KiB";
        QTest::newRow("MiB") << qint64{64 * kMiB} << "64.0 MiB";
        QTest::newRow("GiB") << qint64{kGiB + kGiB / 2} << "1.5 GiB";
        QTest::newRow("largest") << qint64{INT64_MAX} << "8388608.0 TiB";
        QTest::newRow("difference") << qint64{-2 * kMiB} << "-2.0 MiB";
        QTest::newRow("just below a unit") << qint64{kMiB - 1} << "1.0 MiB";
    }

    void formatsForReaders() {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatBytes(bytes)), text);
    }

    void alignsUp() {
        QCOMPARE(alignUp(0, 512), Bytes{0});
        QCOMPARE(alignUp(1, 512), Bytes{512});
        QCOMPARE(alignUp(512, 512), Bytes{512});
        QCOMPARE(alignUp(513, 512), Bytes{1024});
    }
};

LOWTIDE_TEST(UnitsTest)

}  // namespace units_test

#include "units_test.moc"
