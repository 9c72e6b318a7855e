#include "plugin/memory/component_parts.hpp"
#include "tests/fixtures/test_program.hpp"

namespace role_pattern_test {

using namespace lowtide::memory;  // NOLINT

class RolePatternTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aPatternMeansARoleOrAllThatBeginSo_data() {
        const lowtide::testing::Rows<QString, QString, bool> row("pattern", "role", "matches");
        row("itself", "text_encoder", "text_encoder", true);
        row("no other one", "text_encoder", "text_encoder_2", false);
        row("not the beginning", "text_encoder_2", "text_encoder", false);
        row("the first", "text_encoder*", "text_encoder", true);
        row("the fourth", "text_encoder*", "text_encoder_4", true);
        row("another kind", "text_encoder*", "image_encoder", false);
        row("every role", "*", "denoiser", true);
        row("nothing", "", "denoiser", false);
        row("a star within", "text*_2", "text_encoder_2", false);
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
