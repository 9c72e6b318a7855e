#include "plugin/image/image_header.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace icc_name_test {

using namespace lowtide::image;
using namespace std::literals;

namespace {

/// A profile with one tag of that kind at 144.
std::string profileWith(const std::string& kind, const std::string& data) {
    return std::string(128, '\0') + "\0\0\0\x01"s + kind + "\0\0\0\x90\0\0\xff\xff"s + data;
}

const std::string kVersion2 = "desc\0\0\0\0\0\0\0\x0b"s + "Display P3\0"s;
const std::string kVersion4 =
    "mluc\0\0\0\0\0\0\0\x01\0\0\0\x0c"s + "enUS\0\0\0\x04\0\0\0\x1c"s + "\0P\0\x33"s;

}  // namespace

class IccNameTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsTheName_data() {
        const lowtide::testing::Rows<QByteArray, QString> add("profile", "name");
        const auto row = [&](const char* what, const std::string& profile, const char* name) {
            add(what, QByteArray::fromStdString(profile), name);
        };
        row("version 2", profileWith("desc", kVersion2), "Display P3");
        row("version 4", profileWith("desc", kVersion4), "P3");
        row("another tag", profileWith("cprt", kVersion2), "unnamed");
        row("another kind", profileWith("desc", "text\0\0\0\0Display"s), "unnamed");
        row("letters that cannot be printed",
            profileWith("desc", "desc\0\0\0\0\0\0\0\x03\x01\xff\x02"s),
            "unnamed");
        row("longer than the profile",
            profileWith("desc",
                        "desc\0\0\0\0\xff\xff\xff\xff"
                        "P3"s),
            "P3");
        row("tag behind the end", profileWith("desc", ""), "unnamed");
        row("empty", "", "unnamed");
        row("many tags", std::string(128, '\0') + "\xff\xff\xff\xff"s, "unnamed");
    }

    void readsTheName() {
        QFETCH(QByteArray, profile);
        QFETCH(QString, name);
        QCOMPARE(QString::fromStdString(iccName(profile.toStdString())), name);
    }

    void aLongNameIsCut() {
        std::string text = "desc\0\0\0\0\0\0\xff\xff"s;
        text.append(1000, 'x');
        QCOMPARE(iccName(profileWith("desc", text)).size(), size_t{80});
    }

    void knowsSrgb() {
        for (const char* name :
             {"sRGB", "sRGB IEC61966-2.1", "sRGB built-in", "c2", "IEC61966-2.1"}) {
            QVERIFY2(isSrgbName(name), name);
        }
        for (const char* name : {"Display P3", "Adobe RGB (1998)", "unnamed", "c22"}) {
            QVERIFY2(!isSrgbName(name), name);
        }
    }
};

LOWTIDE_TEST(IccNameTest)

}  // namespace icc_name_test

#include "icc_name_test.moc"
