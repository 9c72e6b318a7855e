#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/small_run.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace alignment_test {

using namespace lowtide;

namespace {

/// Shifts every tensor of a safetensors file by padding its header, so that data begins at
/// `remainder` modulo 64.
QByteArray withDataAt(const QByteArray& file, quint64 remainder) {
    const auto length = static_cast<qsizetype>(qFromLittleEndian<quint64>(file.constData()));
    QByteArray header = file.mid(8, length).trimmed();
    while ((static_cast<quint64>(header.size()) + 8) % 64 != remainder) {
        header += ' ';
    }
    QByteArray size(8, '\0');
    qToLittleEndian<quint64>(static_cast<quint64>(header.size()), size.data());
    return size + header + file.mid(8 + length);
}

QString copyShifted(const QString& from, const QString& to, quint64 remainder) {
    QDir().mkpath(to);
    const QDir source(from);
    for (const QFileInfo& entry :
         source.entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString target = to + "/" + entry.fileName();
        if (entry.isDir()) {
            copyShifted(entry.filePath(), target, remainder);
            continue;
        }
        QFile in(entry.filePath());
        QFile out(target);
        if (in.open(QIODevice::ReadOnly) && out.open(QIODevice::WriteOnly)) {
            const QByteArray bytes = in.readAll();
            out.write(entry.suffix() == "safetensors" ? withDataAt(bytes, remainder) : bytes);
        }
    }
    return to;
}

}  // namespace

/// Where a file happens to put its tensors changes no byte of a result.
class AlignmentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void weightsAtAnyAlignmentGiveTheSameBytes_data() {
        const testing::Rows<QString, QString> add("source", "cfg");
        const QString sd15 = testing::goldenFolder() + "/checkpoints/sd15_1";
        const QString sdxl = testing::sdxlGoldenFolder() + "/checkpoints/sdxl_1";
        add("sd15", sd15, "3");
        add("sdxl", sdxl, "3");
        // Products of a single row.
        add("sd15, unguided", sd15, "1");
        add("sdxl, unguided", sdxl, "1");
    }

    void weightsAtAnyAlignmentGiveTheSameBytes() {
        QFETCH(QString, source);
        QFETCH(QString, cfg);
        const QTemporaryDir folder;
        QList<QByteArray> dumps;
        for (const quint64 remainder : {0, 8, 16, 4, 2}) {
            const QString checkpoint =
                copyShifted(source, folder.filePath(QString::number(remainder)), remainder);
            dumps << testing::dumpOfExample(
                "text_to_image",
                checkpoint,
                {"--set", "latent.width=64", "--set", "denoise.cfg=" + cfg});
        }
        QVERIFY2(dumps[0].size() > 100000, dumps[0].constData());
        for (const QByteArray& dump : dumps) {
            QVERIFY(dump == dumps[0]);
        }
    }
};

LOWTIDE_TEST(AlignmentTest)

}  // namespace alignment_test

#include "alignment_test.moc"
