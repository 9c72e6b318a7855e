#include "plugin/base/hash.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QCryptographicHash>
#include <QtTest/QtTest>

namespace hash_test {

using namespace lowtide;

class HashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void knownVectors_data() {
        const testing::Rows<QByteArray, QString> row("text", "digest");
        // NIST FIPS 180-4, examples of SHA-256.
        row("empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        row("abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        row("two blocks",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        row("million a",
            QByteArray(1'000'000, 'a'),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    void knownVectors() {
        QFETCH(QByteArray, text);
        QFETCH(QString, digest);
        QCOMPARE(QString::fromStdString(sha256Hex(text.toStdString())), digest);
    }

    void rawPiecesAreOneStream() {
        Hasher pieces;
        pieces.addRaw(std::as_bytes(std::span(std::string_view("ab"))));
        pieces.addRaw(std::as_bytes(std::span(std::string_view("c"))));
        QCOMPARE(pieces.hexDigest(), sha256Hex("abc"));
    }

    void fieldsAreHashedWithTheirLength() {
        QVERIFY(Hasher().add("ab").add("c").hexDigest() != Hasher().add("a").add("bc").hexDigest());
        QVERIFY(Hasher().add("").hexDigest() != Hasher().hexDigest());
    }

    void fieldsAreLengthThenBytes() {
        const QByteArray stream = QByteArray("\x03\0\0\0\0\0\0\0abc\x05\0\0\0\0\0\0\0", 19);
        const QByteArray wanted =
            QCryptographicHash::hash(stream, QCryptographicHash::Sha256).toHex();
        QCOMPARE(QByteArray::fromStdString(Hasher().add("abc").add(5).hexDigest()), wanted);
    }
};

LOWTIDE_TEST(HashTest)

}  // namespace hash_test

#include "hash_test.moc"
