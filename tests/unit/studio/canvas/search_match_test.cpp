#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/search_match.hpp"

namespace lowtide::test::search_match_test {

class SearchMatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsLettersInOrder_data();
    void findsLettersInOrder();
    void beginningsOfWordsCountMore();
    void findsNodes_data();
    void findsNodes();
    void recentOnesComeFirst_withoutPattern();
    void offersOnlyWhatTakesTheWire();
    void prefersEqualTypesAndNeededPorts();
};

void SearchMatchTest::findsLettersInOrder_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isFound");
    QTest::newRow("whole") << "denoise"
                           << "Denoise" << true;
    QTest::newRow("some") << "dns"
                          << "Denoise" << true;
    QTest::newRow("two words") << "sl"
                               << "Scale latent" << true;
    QTest::newRow("order") << "nd"
                           << "Denoise" << false;
    QTest::newRow("absent") << "x"
                            << "Denoise" << false;
    QTest::newRow("longer") << "denoiser"
                            << "Denoise" << false;
    QTest::newRow("nothing") << ""
                             << "Denoise" << true;
}

void SearchMatchTest::findsLettersInOrder() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(bool, isFound);
    QCOMPARE(ui::fuzzyScore(pattern, text) > 0, isFound);
}

void SearchMatchTest::beginningsOfWordsCountMore() {
    QVERIFY(ui::fuzzyScore("sl", "Scale latent") > ui::fuzzyScore("sl", "Basaltic"));
    QVERIFY(ui::fuzzyScore("de", "Decode") > ui::fuzzyScore("de", "Encode"));
    QVERIFY(ui::fuzzyScore("scale", "Upscale image") > ui::fuzzyScore("scale", "Load upscaler"));
}

void SearchMatchTest::findsNodes_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("first");
    QTest::newRow("label") << "denoise"
                           << "denoise.sample";
    QTest::newRow("alias") << "ksampler"
                           << "denoise.sample";
    QTest::newRow("id") << "save.im"
                        << "save.image";
    QTest::newRow("category and label") << "latent scale"
                                        << "latent.scale";
    QTest::newRow("help") << "png"
                          << "save.image";
    QTest::newRow("nothing") << "zzz"
                             << "";
}

void SearchMatchTest::findsNodes() {
    QFETCH(QString, pattern);
    QFETCH(QString, first);
    const graph::Catalog catalog(canvasNodes());

    const auto hits = ui::searchNodes(catalog, pattern, {.type = {}}, {});

    QCOMPARE(hits.empty() ? QString() : QString::fromStdString(hits.front().desc->id), first);
}

void SearchMatchTest::recentOnesComeFirst_withoutPattern() {
    const graph::Catalog catalog(canvasNodes());

    const auto hits = ui::searchNodes(catalog, {}, {.type = {}}, {"save.image", "latent.scale"});

    QCOMPARE(hits.size(), catalog.nodes().size());
    QCOMPARE(hits[0].desc->id, std::string("save.image"));
    QCOMPARE(hits[1].desc->id, std::string("latent.scale"));
}

void SearchMatchTest::offersOnlyWhatTakesTheWire() {
    const graph::Catalog catalog(canvasNodes());

    const auto hits = ui::searchNodes(catalog, {}, {.type = "IMAGE", .asInput = true}, {});

    QCOMPARE(hits.size(), size_t{1});
    QCOMPARE(hits[0].desc->id, std::string("save.image"));
    QCOMPARE(hits[0].port, std::string("image"));
}

void SearchMatchTest::prefersEqualTypesAndNeededPorts() {
    const NodeDesc desc{.id = "x",
                        .inputs = {{.id = "any", .type = "*"},
                                   {.id = "maybe", .type = "LATENT", .optional = true},
                                   {.id = "needed", .type = "LATENT"}}};

    QCOMPARE(ui::bestPort(desc, {.type = "LATENT"}), std::string("needed"));
    QCOMPARE(ui::bestPort(desc, {.type = "IMAGE"}), std::string("any"));
    QCOMPARE(ui::bestPort(desc, {.type = "IMAGE", .asInput = false}), std::string());
}

LOWTIDE_WINDOW_TEST(SearchMatchTest)

}  // namespace lowtide::test::search_match_test

#include "search_match_test.moc"
