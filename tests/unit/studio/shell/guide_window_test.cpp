// The guide inside the program: its pages, their links, and what is searched for in them.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/help_text.hpp"
#include "ui/studio/guide_window.hpp"

namespace guide_window_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

GuideWindow* guideOf(Working& studio) {
    return studio.window->findChild<GuideWindow*>();
}

HelpText& textOf(const GuideWindow& guide) {
    return *guide.findChild<HelpText*>("guideText");
}

QList<QUrl> linksIn(const QTextDocument& document) {
    QList<QUrl> links;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QString link = part.fragment().charFormat().anchorHref();
            if (!link.isEmpty()) {
                links << QUrl(link);
            }
        }
    }
    return links;
}

bool hasHeading(const QTextDocument& document, const QString& name) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && headingName(block.text()) == name) {
            return true;
        }
    }
    return false;
}

}  // namespace

class GuideWindowTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void opensByItsKey_andClosesByEscape() {
        Working studio;
        test::press(Qt::Key_F1, Qt::ControlModifier);
        QTRY_VERIFY(guideOf(studio) && guideOf(studio)->isVisible());
        const QPointer<GuideWindow> guide = guideOf(studio);
        test::bringToFront(*guide);
        QCOMPARE(guide->page().section(u'.', 0, 0), QString("guide"));
        QVERIFY(guide->findChild<QListWidget*>("guideContents")->count() > 10);
        QCOMPARE(textOf(*guide).verticalScrollBar()->value(), 0);
        QCOMPARE(test::textProblems(*guide), QStringList());

        studio.action("help.guide").trigger();  // no second one
        QCOMPARE(studio.window->findChildren<GuideWindow*>().size(), 1);
        QTest::keyClick(guide.data(), Qt::Key_Escape);
        QTRY_VERIFY(!guide);
    }

    void headingsAreNamedAsLinksNameThem_data() {
        QTest::addColumn<QString>("heading");
        QTest::addColumn<QString>("name");
        QTest::newRow("words") << "The first minute"
                               << "the-first-minute";
        QTest::newRow("signs") << "Inpainting, cropping, extending"
                               << "inpainting-cropping-extending";
        QTest::newRow("Chinese") << "局部重绘、裁剪和扩图"
                                 << "局部重绘裁剪和扩图";
    }

    void headingsAreNamedAsLinksNameThem() {
        QFETCH(QString, heading);
        QTEST(headingName(heading), "name");
    }

    void everyLinkLeadsToAPageAndToAHeading_data() {
        QTest::addColumn<QString>("page");
        const GuideWindow guide(nullptr);  // makes the pages known
        for (const QString& file : QDir(":/lowtide/guide").entryList()) {
            QTest::newRow(qPrintable(file)) << file.chopped(3);
        }
    }

    void everyLinkLeadsToAPageAndToAHeading() {
        QFETCH(QString, page);
        GuideWindow guide(nullptr);
        guide.showPage(page);
        QCOMPARE(guide.page(), page);
        QVERIFY(!textOf(guide).toPlainText().contains("<!--"));
        for (const QUrl& link : linksIn(*textOf(guide).document())) {
            if (!link.scheme().isEmpty()) {
                continue;
            }
            const QString other = link.path().isEmpty() ? page : link.path().chopped(3);
            guide.showPage(other);
            QCOMPARE(guide.page(), other);
            QVERIFY2(!link.hasFragment() ||
                         hasHeading(*textOf(guide).document(), link.fragment(QUrl::FullyDecoded)),
                     qPrintable(link.toString()));
        }
    }

    void linksAreFollowed_andTheWayBackRemembersWhereOneWas() {
        GuideWindow guide(nullptr);
        guide.show();
        QVERIFY(QTest::qWaitForWindowExposed(&guide));
        guide.showPage("guide", "the-viewer");
        HelpText& text = textOf(guide);
        const int read = text.verticalScrollBar()->value();
        QVERIFY(read > 0);

        Q_EMIT text.anchorClicked(QUrl("memory.md#which-policy-when"));
        QCOMPARE(guide.page(), QString("memory"));
        QVERIFY(text.textCursor().block().text().startsWith("Which policy"));
        auto* back = guide.findChild<QToolButton*>("guideBack");
        QVERIFY(back->isEnabled());
        back->click();
        QCOMPARE(guide.page(), QString("guide"));
        QCOMPARE(text.verticalScrollBar()->value(), read);
        QVERIFY(!back->isEnabled());
    }

    void findsWords_alsoBeforeWhereOneReads() {
        GuideWindow guide(nullptr);
        guide.show();
        QVERIFY(QTest::qWaitForWindowExposed(&guide));
        guide.showPage("guide", "what-is-safe");
        auto* search = guide.findChild<QLineEdit*>("guideSearch");
        const auto* found = guide.findChild<QLabel*>("guideFound");

        search->setText("Rehearse");
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(textOf(guide).textCursor().selectedText().toLower(), QString("rehearse"));
        QVERIFY(!found->isVisible());
        search->setText("no such words here");
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(found->isVisible());
    }

    void speaksTheLanguageOfTheProgram() {
        if (languages().size() < 2) {
            QSKIP("built without lrelease");
        }
        Working studio;
        studio.action("help.guide").trigger();
        studio.action("language.zh_CN").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(guideOf(studio) && guideOf(studio)->page() == "guide.zh_CN",
                                 kPatience);
        QVERIFY(guideOf(studio)->isVisible());
    }
};

LOWTIDE_WINDOW_TEST(GuideWindowTest)

}  // namespace guide_window_test

#include "guide_window_test.moc"
