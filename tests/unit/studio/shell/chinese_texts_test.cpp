// Every text that a widget has for a reader of Chinese: shown, in tips, in lists, and reported
// to assistive technology.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/language/message_texts.hpp"
#include "ui/studio/action_table.hpp"

#include <map>

namespace chinese_texts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// Texts without a Chinese letter, and where they were seen.
using Foreign = std::map<QString, QString>;

/// Names that are the same in every language: programs, formats, methods, what is written into
/// files and on the command line, and the test module's own English.
bool isName(const QString& text) {
    static const QRegularExpression kNames(QStringLiteral(
        "^(Lowtide( studio)?.*|English|CPU|Tab|Home|separator|denoise|Inter|JetBrains "
        "Mono|ControlNet|IP-Adapter|LoRA|"
        "[\\w.,+=@:/ ~-]*\\.(json|png|ts)|/.*|qt_\\w+|[a-z]+[.:][\\w.*:]+|cpu|fake.*|auto|none|"
        "model|leaf|block|sequential|quality|balanced|speed|file|f32|bf16|"
        "(Ctrl|Alt|Shift|Meta)\\+.*|[a-z_]+_\\d+)$"));
    return kNames.match(text).hasMatch();
}

void note(Foreign& found, const QString& text, const QString& where) {
    static const QRegularExpression kWord(QStringLiteral("[A-Za-z]{3,}"));
    QString bare = text;
    bare.remove(QRegularExpression(QStringLiteral("<[^>]*>|&(?=\\w)")));
    if (kWord.match(bare).hasMatch() && !isName(bare.trimmed()) &&
        std::none_of(bare.begin(), bare.end(), isChinese)) {
        found.emplace(bare.trimmed().left(200), where);
    }
}

QString nameOf(const QObject& object) {
    QStringList names;
    for (const QObject* each = &object; each && names.size() < 4; each = each->parent()) {
        names.prepend(each->objectName().isEmpty()
                          ? QString::fromLatin1(each->metaObject()->className())
                          : each->objectName());
    }
    return names.join(u'/');
}

void noteItems(Foreign& found,
               const QAbstractItemModel& model,
               const QModelIndex& parent,
               const QString& where,
               int depth) {
    constexpr int kRoles[] = {Qt::DisplayRole,
                              Qt::ToolTipRole,
                              Qt::StatusTipRole,
                              Qt::AccessibleTextRole,
                              Qt::AccessibleDescriptionRole};
    for (int row = 0; row < std::min(model.rowCount(parent), 300); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex index = model.index(row, column, parent);
            for (const int role : kRoles) {
                note(found, index.data(role).toString(), where + QStringLiteral(" item"));
            }
            if (column == 0 && depth < 3) {
                noteItems(found, model, index, where, depth + 1);
            }
        }
    }
    for (int column = 0; depth == 0 && column < model.columnCount(parent); ++column) {
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) {
            note(found,
                 model.headerData(column, Qt::Horizontal, role).toString(),
                 where + QStringLiteral(" header"));
        }
    }
}

void noteWidget(Foreign& found, const QWidget& widget) {
    const QString where = nameOf(widget);
    for (const char* property : {"text",
                                 "title",
                                 "placeholderText",
                                 "windowTitle",
                                 "toolTip",
                                 "statusTip",
                                 "whatsThis",
                                 "accessibleName",
                                 "accessibleDescription",
                                 "prefix",
                                 "suffix",
                                 "specialValueText",
                                 "informativeText"}) {
        // What a user wrote remains as it is.
        const bool isWritten =
            qstrcmp(property, "text") == 0 && qobject_cast<const QLineEdit*>(&widget);
        note(found,
             isWritten ? QString() : widget.property(property).toString(),
             where + u'.' + QLatin1String(property));
    }
    for (const QAction* action : widget.actions()) {
        for (const QString& text :
             {action->text(), action->toolTip(), action->statusTip(), action->whatsThis()}) {
            note(found, text, where + QStringLiteral(" action ") + action->objectName());
        }
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i) {
            note(found, tabs->tabText(i), where);
            note(found, tabs->tabToolTip(i), where);
        }
    }
    // Files have the names that users gave them, and the system's dates. A log is for reports.
    if (qobject_cast<const QFileDialog*>(widget.window()) ||
        widget.objectName() == QLatin1String("logLines")) {
        return;
    }
    if (const auto* box = qobject_cast<const QComboBox*>(&widget)) {
        noteItems(found, *box->model(), {}, where, 1);
    } else if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
               view && view->model()) {
        noteItems(found, *view->model(), {}, where, 0);
    }
}

/// What assistive technology is notified of, painted things too.
void noteSpoken(Foreign& found, QAccessibleInterface* element, int depth) {
    if (!element || !element->isValid() || depth > 30) {
        return;
    }
    const QString where =
        QStringLiteral("spoken ") + (element->object() ? nameOf(*element->object()) : QString());
    const bool isText = element->role() == QAccessible::EditableText;
    for (const QAccessible::Text kind :
         {QAccessible::Name, QAccessible::Description, QAccessible::Help}) {
        note(found, isText && kind == QAccessible::Name ? QString() : element->text(kind), where);
    }
    if (auto* actions = element->actionInterface()) {
        for (const QString& action : actions->actionNames()) {
            note(found, actions->localizedActionName(action), where + QStringLiteral(" action"));
        }
    }
    // Rows of lists are noted by their models.
    const bool hasRows = element->role() == QAccessible::Table ||
                         element->role() == QAccessible::List ||
                         element->role() == QAccessible::Tree;
    for (int i = 0; !hasRows && i < std::min(element->childCount(), 300); ++i) {
        noteSpoken(found, element->child(i), depth + 1);
    }
}

void noteAll(Foreign& found, QWidget& root) {
    noteWidget(found, root);
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        noteWidget(found, *widget);
    }
    noteSpoken(found, QAccessible::queryAccessibleInterface(&root), 0);
}

QString listed(const Foreign& found) {
    QStringList lines;
    for (const auto& [text, where] : found) {
        lines << QStringLiteral("\"%1\" at %2").arg(text, where);
    }
    return lines.join(u'\n');
}

}  // namespace

class ChineseTextsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        if (languages().size() == 1) {
            QSKIP("built without lrelease");
        }
        qputenv("LOWTIDE_TEST_LANGUAGE", "zh_CN");
    }

    void cleanupTestCase() { qunsetenv("LOWTIDE_TEST_LANGUAGE"); }

    void everyPanelIsChinese() {
        Working studio;
        Foreign found;
        studio.widgets().canvas.select({"denoise"});
        for (const char* panel : {"graph",
                                  "viewer",
                                  "gallery",
                                  "sheet",
                                  "presets",
                                  "models",
                                  "inspector",
                                  "generate",
                                  "memory",
                                  "queue",
                                  "issues",
                                  "log"}) {
            studio.action((std::string("view.") + panel).c_str()).trigger();
            QTest::qWait(100);
            noteAll(found, *studio.window);
            test::keepScreenshot(*studio.window, QStringLiteral("zh_") + QLatin1String(panel));
        }
        QVERIFY2(found.empty(), qPrintable(listed(found)));
    }

    void everyDialogIsChinese_data() {
        QTest::addColumn<QString>("action");
        for (const char* action : {"edit.settings",
                                   "edit.keys",
                                   "edit.find",
                                   "file.open",
                                   "file.save_as",
                                   "file.save_preset",
                                   "file.backups",
                                   "help.about",
                                   "help.first",
                                   "help.report",
                                   "run.several",
                                   "run.sheet"}) {
            QTest::newRow(action) << QString(action);
        }
    }

    void everyDialogIsChinese() {
        QFETCH(QString, action);
        Working studio;
        studio.widgets().canvas.select({"encode"});
        Foreign found;
        bool isSeen = false;
        QTimer look;
        connect(&look, &QTimer::timeout, this, [&] {
            QWidget* dialog = QApplication::activeModalWidget();
            dialog = dialog ? dialog : QApplication::activePopupWidget();
            if (!dialog) {
                return;
            }
            look.stop();
            isSeen = true;
            QTest::qWait(100);
            noteAll(found, *dialog);
            test::keepScreenshot(*dialog,
                                 QStringLiteral("zh_") + QString(action).replace(u'.', u'_'));
            dialog->close();
        });
        look.start(20);
        studio.action(action.toLatin1()).trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isSeen, kPatience);
        QVERIFY2(found.empty(), qPrintable(listed(found)));
    }

    void everyMenuIsChinese() {
        Working studio;
        Foreign found;
        for (const QMenu* menu : studio.window->findChildren<QMenu*>()) {
            noteWidget(found, *menu);
        }
        for (const ActionDesc& desc : actionTable()) {
            const QAction& action = studio.action(desc.id);
            note(found, action.text(), QLatin1String(desc.id));
            note(found, action.statusTip(), QLatin1String(desc.id));
            note(found, action.toolTip(), QLatin1String(desc.id));
        }
        QVERIFY2(found.empty(), qPrintable(listed(found)));
    }
};

LOWTIDE_WINDOW_TEST(ChineseTextsTest)

}  // namespace chinese_texts_test

#include "chinese_texts_test.moc"
