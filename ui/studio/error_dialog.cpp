#include "ui/studio/error_dialog.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "ui/language/module_texts.hpp"

#include <QAction>
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace lowtide::ui {

namespace {

class ErrorWords {
    Q_DECLARE_TR_FUNCTIONS(ErrorWords)
};

}  // namespace

void showError(QWidget* parent, const QString& what, const QString& message, const QString& hint) {
    QMessageBox box(QMessageBox::Warning, what, asSentence(message), QMessageBox::Ok, parent);
    box.setObjectName(QStringLiteral("error"));
    box.setTextFormat(Qt::PlainText);
    box.setEscapeButton(QMessageBox::Ok);  // with a second button Qt finds none by itself
    box.setInformativeText(asSentence(hint));
    log(Level::Error, (what + QStringLiteral(": ") + message).toStdString());
    QAction* report =
        parent ? parent->window()->findChild<QAction*>(QStringLiteral("help.report")) : nullptr;
    QPushButton* button =
        report ? box.addButton(ErrorWords::tr("Report a problem..."), QMessageBox::HelpRole)
               : nullptr;
    box.exec();
    if (button && box.clickedButton() == button) {
        report->trigger();
    }
}

void showError(QWidget* parent, const QString& what, const Error& error) {
    showError(parent, what, errorText(error), moduleSentence(error.hint()));
}

}  // namespace lowtide::ui
