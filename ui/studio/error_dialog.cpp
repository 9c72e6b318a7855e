#include "ui/studio/error_dialog.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"

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

QString asSentence(const QString& text) {
    if (text.isEmpty()) {
        return text;
    }
    QString sentence = text;
    sentence[0] = sentence.at(0).toUpper();
    constexpr QStringView kEnds = u".?!。？！";
    return kEnds.contains(sentence.back()) ? sentence : sentence + QLatin1Char('.');
}

void showError(QWidget* parent, const QString& what, const QString& message, const QString& hint) {
    QMessageBox box(QMessageBox::Warning, what, asSentence(message), QMessageBox::Ok, parent);
    box.setObjectName(QStringLiteral("error"));
    box.setTextFormat(Qt::PlainText);
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
    showError(parent,
              what,
              QString::fromStdString(error.message()),
              QString::fromStdString(error.hint()));
}

}  // namespace lowtide::ui
