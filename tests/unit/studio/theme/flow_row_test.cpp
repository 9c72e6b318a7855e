// Rows that break into lines, labels that end in an ellipsis, parts that scroll.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui::flow_row_test {

namespace {

constexpr int kSide = 30;
constexpr int kGap = 5;

/// A row of a title that expands and of boxes; the last two are kept together.
struct Flowing {
    QWidget window;
    FlowRow* row = new FlowRow(&window);
    ElidedLabel* title = new ElidedLabel(&window);
    QList<QWidget*> boxes;

    Flowing() {
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(kGap);
        title->setText("A title that takes some space of its own");
        title->setMinimumWidth(2 * kSide);
        row->addWidget(title);
        for (int i = 0; i < 4; ++i) {
            boxes << new QWidget(&window);
            boxes.back()->setFixedSize(kSide, kSide);
        }
        row->addWidget(boxes[0]);
        row->addWidget(boxes[1]);
        row->addGroup({boxes[2], boxes[3]});
        row->setAtEnd(true);
    }

    void lay(int width) {
        window.resize(width, row->heightForWidth(width));
        row->activate();
        row->setGeometry(window.rect());
    }

    [[nodiscard]] QList<int> tops() const {
        QList<int> tops;
        for (const QWidget* box : boxes) {
            tops << box->y();
        }
        return tops;
    }
};

}  // namespace

class FlowRowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aLongNameWidensNoLabel() {
        const QString name = QString("dream_").repeated(20) + ".safetensors";
        const WrappedLabel label("The file " + name + " is missing");
        const QSize least = label.minimumSizeHint();

        QVERIFY2(least.width() < 200, qPrintable(QString::number(least.width())));
        const int lines = label.heightForWidth(150) / label.fontMetrics().lineSpacing();
        QVERIFY2(lines >= label.fontMetrics().horizontalAdvance(name) / 150,
                 qPrintable(QString::number(lines)));
    }

    void wordsThatFitBreakAsEver() {
        const QString text("The file that the graph names is missing");
        const WrappedLabel label(text);
        QLabel plain(text);
        plain.setWordWrap(true);

        QCOMPARE(label.minimumSizeHint(), plain.minimumSizeHint());
        QCOMPARE(label.heightForWidth(150), plain.heightForWidth(150));
    }

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() { test::failOnQtWarnings(); }

    void aWideRowIsOneLine_andTheTitleTakesTheRest() {
        Flowing flowing;
        flowing.lay(400);
        QCOMPARE(flowing.tops(), QList<int>({0, 0, 0, 0}));
        QCOMPARE(flowing.title->width(), 400 - 4 * (kSide + kGap));
        QCOMPARE(flowing.boxes[3]->geometry().right(), 399);
    }

    void aNarrowOneBreaks_andAGroupRemainsTogether() {
        Flowing flowing;
        const int second = kSide + kGap;
        flowing.lay(2 * kSide + 3 * (kSide + kGap));  // one box too narrow
        QCOMPARE(flowing.tops(), QList<int>({0, 0, second, second}));
        QCOMPARE(flowing.window.height(), 2 * kSide + kGap);
        QCOMPARE(flowing.boxes[3]->geometry().right(), flowing.window.width() - 1);
        flowing.lay(2 * kSide + kGap);
        QCOMPARE(flowing.tops().back(), flowing.tops().at(2));
        QVERIFY(flowing.boxes[0]->y() > flowing.title->y());
    }

    void whatIsHiddenTakesNoSpace() {
        Flowing flowing;
        for (QWidget* box : flowing.boxes) {
            box->hide();
        }
        flowing.lay(100);
        QCOMPARE(flowing.title->width(), 100);
    }

    void aTextThatDoesNotFitIsTheTooltip() {
        ElidedLabel label;
        label.setText("A title that takes some space of its own");
        label.resize(60, 20);
        label.show();
        QVERIFY(QTest::qWaitForWindowExposed(&label));
        QCOMPARE(label.toolTip(), label.text());
        label.resize(600, 20);
        QTRY_COMPARE(label.toolTip(), QString());
    }

    void aPartScrollsWhereItIsTooLow_andFillsItsAreaElse() {
        auto* content = new QWidget;
        auto* column = new QVBoxLayout(content);
        for (int i = 0; i < 10; ++i) {
            auto* box = new QWidget(content);
            box->setMinimumSize(200, kSide);
            column->addWidget(box);
        }
        ScrolledPart part(content);
        part.show();
        QVERIFY(QTest::qWaitForWindowExposed(&part));
        QVERIFY(part.minimumSizeHint().height() < 200);
        QVERIFY(!part.visibleRegion().isEmpty());
        QVERIFY(part.minimumSizeHint().width() >= 200);
        QCOMPARE(part.sizeHint(), content->sizeHint().expandedTo(part.minimumSizeHint()));
        part.resize(300, 150);
        QTRY_VERIFY(part.verticalScrollBar()->maximum() > 0);
        QCOMPARE(part.horizontalScrollBar()->maximum(), 0);
        part.resize(300, 900);
        QTRY_COMPARE(part.verticalScrollBar()->maximum(), 0);
        QTRY_COMPARE(content->height(), part.viewport()->height());
    }
};

LOWTIDE_WINDOW_TEST(FlowRowTest)

}  // namespace lowtide::ui::flow_row_test

#include "flow_row_test.moc"
