#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/theme/icons.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QWidget>
#include <QtWidgets>

#include <memory>

namespace lowtide::ui::style_test {

namespace {

QWidget* buttons() {
    auto* box = new QGroupBox("Buttons");
    auto* rows = new QVBoxLayout(box);
    auto* first = new QHBoxLayout;
    auto* run = new QPushButton(Theme::current().icon("play", "accent.text"), "Run");
    run->setDefault(true);
    run->setObjectName("run");
    auto* cancel = new QPushButton("Cancel");
    cancel->setObjectName("cancel");
    auto* off = new QPushButton("Disabled");
    off->setEnabled(false);
    auto* flat = new QPushButton("Flat");
    flat->setFlat(true);
    auto* on = new QPushButton("Checked");
    on->setCheckable(true);
    on->setChecked(true);
    for (QPushButton* button : {run, cancel, off, flat, on}) {
        first->addWidget(button);
    }
    first->addStretch();
    rows->addLayout(first);
    auto* second = new QHBoxLayout;
    for (const char* name : {"undo", "redo", "copy", "trash", "memory"}) {
        auto* tool = new QToolButton;
        tool->setIcon(Theme::current().icon(name));
        tool->setAutoRaise(true);
        tool->setToolTip(name);
        tool->setCheckable(true);
        tool->setChecked(name == std::string("copy"));
        tool->setEnabled(name != std::string("trash"));
        second->addWidget(tool);
    }
    auto* menu = new QToolButton;
    menu->setText("Fit");
    menu->setPopupMode(QToolButton::MenuButtonPopup);
    menu->setMenu(new QMenu(menu));
    second->addWidget(menu);
    auto* instant = new QToolButton;
    instant->setText("View");
    instant->setPopupMode(QToolButton::InstantPopup);
    instant->setMenu(new QMenu(instant));
    second->addWidget(instant);
    second->addStretch();
    rows->addLayout(second);
    return box;
}

QWidget* fields() {
    auto* box = new QGroupBox("Fields");
    auto* form = new QFormLayout(box);
    auto* empty = new QLineEdit;
    empty->setPlaceholderText("Search nodes");
    empty->addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    form->addRow("Search", empty);
    auto* text = new QLineEdit("a lighthouse at dusk");
    text->setObjectName("text");
    form->addRow("Text", text);
    auto* off = new QLineEdit("cannot be changed");
    off->setEnabled(false);
    form->addRow("Off", off);
    auto* combo = new QComboBox;
    combo->addItems({"Euler", "Euler a", "DPM++ 2M"});
    form->addRow("Sampler", combo);
    auto* greyed = new QComboBox;
    greyed->addItem("Not here");
    greyed->setEnabled(false);
    form->addRow("Greyed", greyed);
    auto* spin = new QSpinBox;
    spin->setValue(20);
    form->addRow("Steps", spin);
    auto* prompt = new QPlainTextEdit("a lighthouse at dusk,\nlong exposure");
    prompt->setFixedHeight(64);
    prompt->setTabChangesFocus(true);
    form->addRow("Prompt", prompt);
    return box;
}

QWidget* choices() {
    auto* box = new QGroupBox("Choices");
    auto* grid = new QGridLayout(box);
    const auto add = [&](QAbstractButton* button, int line, int column, bool isOn, bool isEnabled) {
        button->setCheckable(true);
        button->setChecked(isOn);
        button->setEnabled(isEnabled);
        grid->addWidget(button, line, column);
    };
    add(new QCheckBox("Off"), 0, 0, false, true);
    add(new QCheckBox("On"), 0, 1, true, true);
    add(new QCheckBox("Disabled"), 0, 2, true, false);
    auto* partly = new QCheckBox("Partly");
    partly->setTristate(true);
    partly->setCheckState(Qt::PartiallyChecked);
    grid->addWidget(partly, 0, 3);
    auto* group = new QButtonGroup(box);
    for (int i = 0; i < 3; ++i) {
        auto* radio = new QRadioButton(QStringList({"One", "Two", "Three"})[i]);
        group->addButton(radio);
        add(radio, 1, i, i == 1, i != 2);
    }
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(40);
    slider->setObjectName("slider");
    grid->addWidget(slider, 2, 0, 1, 2);
    auto* offSlider = new QSlider(Qt::Horizontal);
    offSlider->setValue(60);
    offSlider->setEnabled(false);
    grid->addWidget(offSlider, 2, 2, 1, 2);
    auto* bar = new QProgressBar;
    bar->setValue(45);
    grid->addWidget(bar, 3, 0, 1, 4);
    return box;
}

QWidget* views() {
    auto* split = new QSplitter;
    auto* tree = new QTreeWidget;
    tree->setHeaderLabels({"Component", "Bytes"});
    for (const char* name : {"Denoiser", "Text encoder", "Autoencoder"}) {
        auto* item = new QTreeWidgetItem(tree, {name, "1.5 GiB"});
        new QTreeWidgetItem(item, {"Block 1", "12 MiB"});
        new QTreeWidgetItem(item, {"Block 2", "12 MiB"});
    }
    tree->topLevelItem(0)->setExpanded(true);
    tree->resizeColumnToContents(0);
    tree->setCurrentItem(tree->topLevelItem(0)->child(0));
    split->addWidget(tree);
    auto* list = new QListWidget;
    for (int i = 1; i <= 12; ++i) {
        new QListWidgetItem(Theme::current().icon("file"), QString("Run %1").arg(i), list);
    }
    list->setCurrentRow(1);
    split->addWidget(list);
    return split;
}

QWidget* icons() {
    auto* box = new QGroupBox("Icons");
    auto* grid = new QGridLayout(box);
    int at = 0;
    for (const std::string& name : iconNames()) {
        auto* label = new QLabel;
        label->setPixmap(
            Theme::current().icon(name.c_str()).pixmap(QSize(20, 20), label->devicePixelRatioF()));
        label->setToolTip(QString::fromStdString(name));
        grid->addWidget(label, at / 22, at % 22);
        ++at;
    }
    return box;
}

QWidget* texts() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    for (const char* role : {"display", "title", "strong", "body", "label", "small", "mono"}) {
        auto* label = new QLabel(role);
        label->setFont(Theme::current().font(role));
        row->addWidget(label, 0, Qt::AlignBaseline);
    }
    row->addStretch();
    return box;
}

/// A window with every standard widget of the studio in its usual states.
std::unique_ptr<QWidget> makeWidgetGallery() {
    auto window = std::make_unique<QMainWindow>();
    auto* file = window->menuBar()->addMenu("&File");
    file->setObjectName("file");
    file->addAction(Theme::current().icon("open"), "&Open…", QKeySequence::Open);
    file->addAction(Theme::current().icon("save"), "&Save", QKeySequence::Save);
    file->addSeparator();
    QAction* snap = file->addAction("Snap to &grid");
    snap->setCheckable(true);
    snap->setChecked(true);
    file->addAction("Cannot be done")->setEnabled(false);
    file->addMenu("&Recent")->addAction("one.json");
    window->menuBar()->addMenu("&Edit");
    window->statusBar()->showMessage("Ready");
    auto* dock = new QDockWidget("Inspector", window.get());
    dock->setWidget(views());
    window->addDockWidget(Qt::RightDockWidgetArea, dock);
    auto* tabs = new QTabWidget;
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    for (QWidget* part : {texts(), buttons(), fields(), choices(), icons()}) {
        column->addWidget(part);
    }
    tabs->addTab(page, "Graph");
    tabs->addTab(new QWidget, "Generate");
    tabs->addTab(new QWidget, "Models");
    tabs->setTabEnabled(2, false);
    window->setCentralWidget(tabs);
    window->resize(1080, 800);
    return window;
}

}  // namespace

class StyleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void galleryFits_data() {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void galleryFits() {
        QFETCH(bool, isDark);
        use(isDark);
        const auto gallery = makeWidgetGallery();
        gallery->show();
        QVERIFY(QTest::qWaitForWindowExposed(gallery.get()));
        test::keepScreenshot(*gallery, QString("gallery_%1").arg(isDark ? "dark" : "light"));
        auto* menu = gallery->findChild<QMenu*>("file");
        menu->popup(gallery->mapToGlobal(QPoint(8, 32)));
        test::keepScreenshot(*menu, QString("menu_%1").arg(isDark ? "dark" : "light"));
        menu->close();

        const QStringList problems = test::textProblems(*gallery);

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n")));
    }

    /// A prompt or the name of a file may look like HTML.
    void textsAreShownAsTheyAre() {
        use(false);
        const QString text = "<b>bold</b> &amp; <img src=\"file:///etc/hostname\">";
        QLabel label(text);
        label.show();
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QLabel rich(text);
        rich.setTextFormat(Qt::RichText);
        rich.show();
        QCOMPARE(rich.textFormat(), Qt::RichText);
        QToolTip::showText({10, 10}, text, &label);
        const QWidgetList windows = QApplication::topLevelWidgets();
        const auto tip = std::find_if(windows.begin(), windows.end(), [](const QWidget* each) {
            return each->objectName() == "qtooltip_label";
        });
        QVERIFY(tip != windows.end());
        QCOMPARE(qobject_cast<QLabel*>(*tip)->text(), text);
        QCOMPARE(qobject_cast<QLabel*>(*tip)->textFormat(), Qt::PlainText);
        QToolTip::hideText();
    }

    void aChoiceThatIsTooLongEndsInDots() {
        use(false);
        QComboBox whole, dots;
        whole.addItem("As the sampler has it");
        dots.addItem(QStringLiteral("As the sam") + QChar(0x2026));
        for (QComboBox* box : {&whole, &dots}) {
            box->resize(box->fontMetrics().horizontalAdvance(dots.itemText(0)) + 36, 28);
        }
        QCOMPARE(whole.grab().toImage(), dots.grab().toImage());
    }

    void aPrimaryToolButtonHasTheColourOfAccents() {
        use(false);
        QToolButton button;
        button.setText("Run");
        button.setAutoRaise(true);
        const auto ground = [&button] {
            return button.grab().toImage().pixelColor(4, button.height() / 2);
        };
        QToolButton plain;
        plain.setText("Run");
        plain.setAutoRaise(true);
        button.resize(80, 28);
        const QColor accent = Theme::current().colour("accent");
        QVERIFY(ground() != accent);
        setPrimary(button);
        QCOMPARE(ground(), accent);
        QVERIFY(button.sizeHint().width() > plain.sizeHint().width());
        button.setEnabled(false);
        QVERIFY(ground() != accent);
    }

    void keyboardFocusIsSeen_data() {
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<QString>("name");
        for (const bool isDark : {false, true}) {
            for (const char* name : {"run", "cancel", "text", "slider"}) {
                QTest::addRow("%s %s", isDark ? "dark" : "light", name) << isDark << QString(name);
            }
        }
    }

    void keyboardFocusIsSeen() {
        QFETCH(bool, isDark);
        QFETCH(QString, name);
        use(isDark);
        const auto gallery = makeWidgetGallery();
        gallery->show();
        gallery->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(gallery.get()));
        auto* widget = gallery->findChild<QWidget*>(name);
        widget->clearFocus();
        const QImage without = widget->grab().toImage();

        for (int i = 0; i < 60 && !widget->hasFocus(); ++i) {
            QTest::keyClick(gallery->focusWidget() ? gallery->focusWidget() : gallery.get(),
                            Qt::Key_Tab);
        }
        QVERIFY(widget->hasFocus());

        const QImage with = widget->grab().toImage();
        int changed = 0;
        for (int y = 0; y < with.height(); ++y) {
            for (int x = 0; x < with.width(); ++x) {
                const QColor now = with.pixelColor(x, y);
                changed += contrastOf(now, without.pixelColor(x, y)) >= 1.5 ? 1 : 0;
            }
        }
        // At least a border of one pixel around two thirds of the smaller side.
        QVERIFY2(changed >= 2 * with.height(), qPrintable(QString::number(changed)));
    }

private:
    static void use(bool isDark) {
        Theme::setCurrent(
            std::make_shared<const Theme>(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light));
        Theme::current().applyTo(*qApp);
    }
};

LOWTIDE_WINDOW_TEST(StyleTest)

}  // namespace lowtide::ui::style_test

#include "style_test.moc"
