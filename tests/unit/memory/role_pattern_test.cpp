#include "plugin/memory/component_parts.hpp"
#include "tests/fixtures/test_program.hpp"

namespace role_pattern_test {

using namespace lowtide::memory;  // NOLINT

class RolePatternTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aPatternMeansARoleOrAllThatBeginSo_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("role");
        QTest::addColumn<bool>("matches");
        QTest::newRow("itself") << "text_encoder"
                                << "text_encoder" << true;
        QTest::newRow("no other one") << "text_encoder"
                                      << "text_encoder_2" << false;
        QTest::newRow("not the beginning") << "text_encoder_2"
                                           << "text_encoder" << false;
        QTest::newRow("the first") << "text_encoder*"
                                   << "text_encoder" << true;
        QTest::newRow("the fourth") << "text_encoder*"
                                    << "text_encoder_4" << true;
        QTest::newRow("another kind") << "text_encoder*"
                                      << "image_encoder" << false;
        QTest::newRow("every role") << "*"
                                    << "denoiser" << true;
        QTest::newRow("nothing") << ""
                                 << "denoiser" << false;
        QTest::newRow("a star within") << "text*_2"
                                       << "text_encoder_2" << false;
    }

    void aPatternMeansARoleOrAllThatBeginSo() {
        QFETCH(QString, pattern);
        QFETCH(QString, role);
        QFETCH(bool, matches);
        QCOMPARE(matchesRole(pattern.toStdString(), role.toStdString()), matches);
    }

    void oneOfSeveralPatternsIsEnough() {
        QVERIFY(matchesAnyRole({"denoiser", "text_encoder*"}, "text_encoder_3"));
        QVERIFY(!matchesAnyRole({"denoiser", "text_encoder*"}, "denoiser_2"));
        QVERIFY(!matchesAnyRole({}, "denoiser"));
    }

    void onlyAStarAtTheEndIsOpen() {
        QVERIFY(isOpenPattern("text_encoder*"));
        QVERIFY(!isOpenPattern("text_encoder"));
        QVERIFY(!isOpenPattern("*_encoder"));
    }
};

LOWTIDE_TEST(RolePatternTest)

}  // namespace role_pattern_test

#include "role_pattern_test.moc"
