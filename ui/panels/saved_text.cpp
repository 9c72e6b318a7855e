#include "ui/panels/saved_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/bridge/later.hpp"
#include "ui/language/module_texts.hpp"

#include <QDateTime>
#include <QFileDialog>

#include <utility>

namespace lowtide::ui {

void askWhereToSave(QWidget* parent,
                    const char* dialogName,
                    const QString& title,
                    const QString& stem,
                    const QString& ending,
                    std::function<void(const QString&)> take) {
    auto* dialog = new QFileDialog(parent, title);
    dialog->setObjectName(QLatin1String(dialogName));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    const QString now = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmm"));
    dialog->selectFile(QStringLiteral("%1-%2.%3").arg(stem, now, ending));
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(take));
    dialog->open();
}

void saveTextLater(QObject* context,
                   const QString& path,
                   const QString& text,
                   std::function<void(const QString&)> done) {
    later(
        context,
        [path, bytes = text.toStdString()] {
            try {
                files::writeFileAtomically(path.toStdString(), bytes);
                return QString();
            } catch (const Error& error) {
                return errorText(error);
            }
        },
        std::move(done));
}

}  // namespace lowtide::ui
