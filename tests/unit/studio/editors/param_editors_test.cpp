#include "plugin/base/json.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/editors/file_editor.hpp"
#include "ui/editors/prompt_footer.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui::param_editors_test {

namespace {

class TwoFiles : public OfferedFiles {
public:
    std::vector<OfferedFile> filesFor(const std::string&, const std::string&) const override {
        return {{"builtin:mini", "Mini", "4 MB"}, {"sd15.safetensors", "SD 1.5", "2.1 GB, fits"}};
    }
};

/// Offers nothing; what lies in the folder is the program's.
class ProgramFiles : public OfferedFiles {
public:
    explicit ProgramFiles(QString folder) : folder_(std::move(folder)) {}

    std::vector<OfferedFile> filesFor(const std::string&, const std::string&) const override {
        return {};
    }

    bool isOfProgram(const QString& path) const override { return path.startsWith(folder_); }

private:
    QString folder_;
};

}  // namespace

class ParamEditorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() {
        test::failOnQtWarnings();
        window_ = std::make_unique<QWidget>();
        window_->resize(420, 200);
    }

    void choiceIsTakenByKey() {
        ParamEditor* editor = show("sampler");
        QSignalSpy reported(editor, &ParamEditor::edited);
        editor->setFocus();

        QTest::keyClick(editor->focusWidget(), Qt::Key_Down);

        QCOMPARE(editor->value(), Json("c2"));
        QCOMPARE(reported.count(), 1);
    }

    void longListIsSearched() {
        ParamEditor* editor = show("scheduler");
        editor->begin();
        auto* list = editor->findChild<QWidget*>("searchList");
        QVERIFY(list && list->isVisible());
        auto* search = list->findChild<QLineEdit*>("search");

        QTest::keyClicks(search, "choice 17");
        QTest::keyClick(search, Qt::Key_Return);

        QCOMPARE(editor->value(), Json("c17"));
    }

    void searchListClosesByEscape() {
        ParamEditor* editor = show("scheduler");
        editor->begin();
        const QPointer<QWidget> list = editor->findChild<QWidget*>("searchList");

        QTest::keyClick(list->findChild<QLineEdit*>("search"), Qt::Key_Escape);

        QTRY_VERIFY(!list);
        QCOMPARE(editor->value(), Json("c2"));
    }

    void shortListHasNoSearch() {
        ParamEditor* editor = show("sampler");
        editor->begin();
        QVERIFY(!editor->findChild<QWidget*>("searchList"));
        editor->findChild<QComboBox*>("choices")->hidePopup();
    }

    void wheelTurnsAChoiceOnlyWithFocus() {
        ParamEditor* editor = show("sampler");
        auto* box = editor->findChild<QComboBox*>("choices");
        const auto turnWheel = [box] {
            const QPointF at = box->rect().center();
            QWheelEvent event(at,
                              box->mapToGlobal(at),
                              {},
                              QPoint(0, -120),
                              Qt::NoButton,
                              Qt::NoModifier,
                              Qt::NoScrollPhase,
                              false);
            QApplication::sendEvent(box, &event);
        };
        box->clearFocus();
        turnWheel();
        QCOMPARE(editor->value(), Json("c1"));

        box->setFocus();
        turnWheel();

        QCOMPARE(editor->value(), Json("c2"));
    }

    void choiceThatIsNotInTheListRemains() {
        ParamEditor* editor = show("sampler");

        editor->setValue("from_the_future");

        auto* box = editor->findChild<QComboBox*>("choices");
        QCOMPARE(editor->value(), Json("from_the_future"));
        QCOMPARE(box->placeholderText(), QString("from_the_future"));
        QVERIFY(box->property("problem").toBool());
        QVERIFY(box->toolTip().contains("not in the list"));
    }

    void typedLineIsReportedAtEveryKey_andEndsOnce() {
        ParamEditor* editor = show("name");
        QSignalSpy reported(editor, &ParamEditor::edited);
        editor->begin();

        QTest::keyClicks(editor->focusWidget(), "cat");
        QTest::keyClick(editor->findChild<QLineEdit*>("line"), Qt::Key_Return);

        QCOMPARE(editor->value(), Json("cat"));
        QCOMPARE(reported.count(), 4);
        QVERIFY(reported.last().at(1).toBool());
        QVERIFY(!reported.at(2).at(1).toBool());
    }

    void weightOfTheSelectionChanges() {
        ParamEditor* editor = show("prompt");
        auto* prompt = editor->findChild<QPlainTextEdit*>("prompt");
        prompt->setFocus();
        QTextCursor cursor = prompt->textCursor();
        cursor.setPosition(2);
        cursor.setPosition(12, QTextCursor::KeepAnchor);
        prompt->setTextCursor(cursor);

        QTest::keyClick(prompt, Qt::Key_Up, Qt::ControlModifier);
        QTest::keyClick(prompt, Qt::Key_Up, Qt::ControlModifier);

        QCOMPARE(editor->value(), Json("a (lighthouse:1.1) at dusk"));
        QTest::keyClick(prompt, Qt::Key_Down, Qt::ControlModifier);
        QTest::keyClick(prompt, Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(editor->value(), Json("a lighthouse at dusk"));
    }

    void weightIsWrittenAsTheNodeReadsIt_data() {
        testing::addTable<QString, QString>({"weights", "after"},
                                            {{"compel", "compel", "(fox)1.05"},
                                             {"none", "none", "fox"},
                                             {"from the future", "later", "fox"},
                                             {"not stated", "", "(fox:1.05)"}});
    }

    void weightIsWrittenAsTheNodeReadsIt() {
        QFETCH(QString, weights);
        QFETCH(QString, after);
        ParamEditor* editor = show("prompt");
        editor->setValue("fox");
        editor->setOtherParams([&] {
            return weights.isEmpty() ? Json::object() : Json{{"weights", weights.toStdString()}};
        });
        auto* prompt = editor->findChild<QPlainTextEdit*>("prompt");
        prompt->setFocus();

        QTest::keyClick(prompt, Qt::Key_Up, Qt::ControlModifier);

        QCOMPARE(editor->value(), Json(after.toStdString()));
        if (after == "fox") {
            QVERIFY2(QToolTip::text().contains("Weights"), qPrintable(QToolTip::text()));
        }
    }

    void weightHasAnEnd() {
        ParamEditor* editor = show("prompt");
        editor->setValue("fox");
        auto* prompt = editor->findChild<QPlainTextEdit*>("prompt");
        prompt->setFocus();

        for (int i = 0; i < 220; ++i) {
            QTest::keyClick(prompt, Qt::Key_Up, Qt::ControlModifier);
        }

        QCOMPARE(editor->value(), Json("(fox:10)"));
    }

    void promptEndsWhenItLosesTheFocus() {
        ParamEditor* editor = show("prompt");
        auto* other = new QLineEdit(window_.get());
        other->setGeometry(8, 160, 100, 28);
        other->show();
        auto* prompt = editor->findChild<QPlainTextEdit*>("prompt");
        prompt->setFocus();
        QSignalSpy reported(editor, &ParamEditor::edited);

        QTest::keyClicks(prompt, "x");
        QVERIFY(!reported.last().at(1).toBool());
        QTest::keyClick(prompt, Qt::Key_Tab);

        QVERIFY(reported.last().at(1).toBool());
    }

    /// An editor that goes with what is half typed in it has no value to report any more.
    void whatIsTypedGoesWithItsEditor_data() {
        QTest::addColumn<QString>("param");
        for (const char* param : {"prompt", "name", "checkpoint", "steps"}) {
            QTest::newRow(param) << QString(param);
        }
    }

    void whatIsTypedGoesWithItsEditor() {
        QFETCH(QString, param);
        ParamEditor* editor = show(param.toStdString().c_str());
        editor->begin();
        QTest::keyClicks(QApplication::focusWidget(), "7");
        int reported = 0;
        connect(editor, &ParamEditor::edited, this, [&reported] { ++reported; });
        connect(editor, &ParamEditor::dismissed, this, [&reported] { ++reported; });
        delete editor;
        QCOMPARE(reported, 0);
    }

    void sameTextAgainLeavesTheCursor() {
        ParamEditor* editor = show("prompt");
        auto* prompt = editor->findChild<QPlainTextEdit*>("prompt");
        QTextCursor cursor = prompt->textCursor();
        cursor.setPosition(5);
        prompt->setTextCursor(cursor);

        editor->setValue(editor->value());

        QCOMPARE(prompt->textCursor().position(), 5);
    }

    void knownFileIsChosen() {
        const TwoFiles files;
        ParamEditor* editor = show("checkpoint", &files);
        QTest::mouseClick(editor->findChild<QToolButton*>("chevron-down"), Qt::LeftButton);
        auto* list = editor->findChild<QWidget*>("searchList");
        QVERIFY(list);
        auto* search = list->findChild<QLineEdit*>("search");

        QTest::keyClicks(search, "fits");
        QTest::keyClick(search, Qt::Key_Return);

        QCOMPARE(editor->value(), Json("sd15.safetensors"));
    }

    void browseOpensADialog() {
        ParamEditor* editor = show("folder");

        QTest::mouseClick(editor->findChild<QToolButton*>("folder"), Qt::LeftButton);

        auto* dialog = editor->findChild<QFileDialog*>("browse");
        QVERIFY(dialog);
        QCOMPARE(dialog->fileMode(), QFileDialog::Directory);
        Q_EMIT dialog->fileSelected("pictures");
        QCOMPARE(editor->value(), Json("pictures"));
        dialog->close();
    }

    void browsingBeginsWhereAUserKeepsFiles() {
        QTemporaryDir own;
        QTemporaryDir program;
        for (const QTemporaryDir* folder : {&own, &program}) {
            QFile file(folder->filePath("fox.png"));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const ProgramFiles offered(program.path());
        const ParamDesc image{.id = "image", .kind = ParamKind::File};
        FileEditor editor({}, image, &offered, window_.get());
        const auto begunAt = [&](const QString& value, const QString& chosen) {
            editor.setValue(value.toStdString());
            QTest::mouseClick(editor.findChild<QToolButton*>("folder"), Qt::LeftButton);
            std::unique_ptr<QFileDialog> dialog(editor.findChild<QFileDialog*>("browse"));
            const QString folder = dialog->directory().canonicalPath();
            if (!chosen.isEmpty()) {
                dialog->findChild<QLineEdit*>("fileNameEdit")->setText(chosen);
                dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open)->click();
            }
            return folder;
        };
        const QString ownFolder = QDir(own.path()).canonicalPath();
        QCOMPARE(begunAt(own.filePath("fox.png"), own.filePath("fox.png")), ownFolder);
        QCOMPARE(begunAt(program.filePath("fox.png"), {}), ownFolder);  // the last one
        QCOMPARE(begunAt("lost.png", {}), ownFolder);
        QCOMPARE(begunAt("", {}), ownFolder);
    }

    void anImageIsSeenBeforeItIsChosen() {
        QTemporaryDir own;
        QImage image(40, 20, QImage::Format_RGB888);
        image.fill(qRgb(200, 30, 30));
        QVERIFY(image.save(own.filePath("fox.png")));
        QFile text(own.filePath("notes.png"));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("no image") > 0);
        text.close();
        const ParamDesc file{.id = "image", .kind = ParamKind::File};
        const NodeDesc reads{.id = "load.image", .outputs = {{.id = "image", .type = "IMAGE"}}};
        FileEditor editor(reads, file, nullptr, window_.get());
        editor.setValue(own.filePath("fox.png").toStdString());
        QTest::mouseClick(editor.findChild<QToolButton*>("folder"), Qt::LeftButton);
        auto* dialog = editor.findChild<QFileDialog*>("browse");
        auto* preview = dialog->findChild<QLabel*>("preview");
        QVERIFY(preview);

        Q_EMIT dialog->currentChanged(own.filePath("fox.png"));
        QTRY_VERIFY(!preview->pixmap().isNull());
        const QImage shown = preview->pixmap().toImage();
        QCOMPARE(shown.pixelColor(shown.rect().center()), QColor(200, 30, 30));
        QCOMPARE(shown.width(), 2 * shown.height());
        Q_EMIT dialog->currentChanged(own.filePath("notes.png"));
        QVERIFY(preview->pixmap().isNull());
        QTRY_VERIFY2(preview->text().contains("notes.png"), qPrintable(preview->text()));
        Q_EMIT dialog->currentChanged(own.path());
        QTRY_COMPARE(preview->text(), QString());
        dialog->close();
    }

    void onlyImagesHaveAPreview() {
        const ParamDesc file{.id = "checkpoint", .kind = ParamKind::File};
        const NodeDesc reads{.id = "load.checkpoint",
                             .outputs = {{.id = "model", .type = "MODEL"}}};
        FileEditor editor(reads, file, nullptr, window_.get());
        QTest::mouseClick(editor.findChild<QToolButton*>("folder"), Qt::LeftButton);
        auto* dialog = editor.findChild<QFileDialog*>("browse");
        QVERIFY(!dialog->findChild<QLabel*>("preview"));
        dialog->close();
    }

    void aLongPathShowsBothEnds() {
        PathLine line(window_.get());
        line.setGeometry(0, 0, 160, 28);
        const QString path = "/pictures/of/somebody/of/last/summer/by/the/sea/fox.png";
        line.setText(path);
        QVERIFY2(line.shown().startsWith("/pict"), qPrintable(line.shown()));
        QVERIFY2(line.shown().endsWith("fox.png"), qPrintable(line.shown()));
        QCOMPARE(line.text(), path);
        window_->show();
        const QImage unfocused = line.grab().toImage();
        line.setCursorPosition(0);
        QCOMPARE(line.grab().toImage(), unfocused);  // wherever the cursor is
        line.setText("fox.png");
        QCOMPARE(line.shown(), QString("fox.png"));
    }

    void switchTurns_data() {
        testing::addTable<bool>({"byKey"}, {{"key", true}, {"mouse", false}});
    }

    void switchTurns() {
        QFETCH(bool, byKey);
        ParamEditor* editor = show("tiled");
        editor->setFocus();
        QSignalSpy reported(editor, &ParamEditor::edited);

        if (byKey) {
            QTest::keyClick(editor, Qt::Key_Space);
        } else {
            QTest::mouseClick(editor, Qt::LeftButton, {}, QPoint(20, 14));
        }

        QCOMPARE(editor->value(), Json(false));
        QCOMPARE(reported.count(), 1);
    }

    void problemFromOutsideIsShown_untilTheValueChanges() {
        ParamEditor* editor = show("name");
        auto* line = editor->findChild<QLineEdit*>("line");

        editor->setProblem("this name is taken");

        QVERIFY(line->property("problem").toBool());
        QCOMPARE(line->toolTip(), QString("this name is taken"));
        editor->begin();
        QTest::keyClicks(line, "b");
        QVERIFY(!line->property("problem").toBool());
    }

    void rowsShowValues_data() {
        testing::addTable<QString, QString, QString>(
            {"id", "json", "text"},
            {{"unit", "steps", "20", "20 steps"},
             {"decimals", "guidance", "7.5", "7.5"},
             {"choice", "sampler", "\"c3\"", "Choice 3"},
             {"unknown choice", "sampler", "\"later\"", "later"},
             {"seed", "seed", "18446744073709551615", "18446744073709551615"},
             {"no seed", "seed", "null", "random"},
             {"switch", "tiled", "true", "on"},
             {"file", "checkpoint", "\"models/sd15.safetensors\"", "sd15.safetensors"},
             {"lines", "prompt", "\"a\\n b\"", "a b"},
             {"nothing", "name", "\"\"", "empty"},
             {"one", "steps", "1", "1 step"},
             {"wrong type", "steps", "[1]", "[1]"}});
    }

    void rowsShowValues() {
        QFETCH(QString, id);
        QFETCH(QString, json);
        QFETCH(QString, text);
        const NodeDesc node = test::sampleNode();

        QCOMPARE(valueText(test::paramOf(node, id.toStdString()), Json::parse(json.toStdString())),
                 text);
    }

    /// The length of a prompt is read in a theme that is chosen later, too.
    void theFooterOfAPromptFollowsTheTheme() {
        PromptFooter footer(nullptr);
        footer.setCounts({.text = QStringLiteral("3 / 30"), .tooltip = {}});
        const auto* counts = footer.findChild<QLabel*>("tokens");

        Theme::setCurrent(std::make_shared<const Theme>(Theme::Scheme::DarkContrast));

        QCOMPARE(counts->palette().color(QPalette::WindowText),
                 Theme::current().colour("text.muted"));
        Theme::setCurrent(std::make_shared<const Theme>(Theme::Scheme::Light));
    }

private:
    ParamEditor* show(const char* id, const OfferedFiles* offered = nullptr) {
        node_ = test::sampleNode();
        ParamEditor* editor =
            makeParamEditor(node_, test::paramOf(node_, id), offered, window_.get());
        editor->setGeometry(8, 8, 400, editor->sizeHint().height());
        window_->show();
        window_->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window_.get()));
        return editor;
    }

    NodeDesc node_;
    std::unique_ptr<QWidget> window_;
};

LOWTIDE_WINDOW_TEST(ParamEditorsTest)

}  // namespace lowtide::ui::param_editors_test

#include "param_editors_test.moc"
