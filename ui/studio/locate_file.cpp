#include "ui/studio/locate_file.hpp"

#include "ui/bridge/answer.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace lowtide::ui {

LocateFile::LocateFile(GraphModel& model, IsFound isFound, QWidget* window)
    : QObject(window), model_(model), isFound_(std::move(isFound)), window_(window) {}

void LocateFile::locate(const std::string& node, const std::string& param) {
    const graph::DocumentNode* owner = model_.node(node);
    const std::string file = owner ? textIn(owner->params, param.c_str()) : std::string();
    if (!file.empty()) {
        locate(file);
    }
}

void LocateFile::locate(const std::string& file) {
    const QString chosen = choose(file);
    if (chosen.isEmpty()) {
        return;
    }
    NewPlaces places = besideIt(missingFiles(model_, isFound_), file, chosen);
    if (!places.empty() && !wants(places)) {
        places.clear();
    }
    places[file] = chosen;
    model_.endMerging();
    model_.apply(tr("Locate %1").arg(QFileInfo(chosen).fileName()),
                 [&](graph::Document& document) { relocate(document, model_.catalog(), places); });
}

QString LocateFile::choose(const std::string& file) const {
    const QFileInfo lost(QString::fromStdString(file));
    QFileDialog dialog(window_, tr("Where is %1?").arg(lost.fileName()));
    dialog.setObjectName(QStringLiteral("locateFile"));
    dialog.setFileMode(QFileDialog::ExistingFile);
    if (lost.isAbsolute() && lost.absoluteDir().exists()) {
        dialog.setDirectory(lost.absoluteDir());
    }
    if (const QString ending = lost.suffix(); !ending.isEmpty()) {
        dialog.setNameFilters({tr("Files like it (*.%1)").arg(ending), tr("All files (*)")});
    }
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

bool LocateFile::wants(const NewPlaces& others) const {
    QStringList names;
    for (const auto& [file, place] : others) {
        names << QFileInfo(place).fileName();
    }
    QMessageBox box(
        QMessageBox::Question,
        tr("Others are missing too"),
        tr("The same folder holds the other missing files of this graph. Use them as well?"),
        QMessageBox::NoButton,
        window_);
    box.setObjectName(QStringLiteral("locateOthers"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(names.join(QLatin1Char('\n')));
    QPushButton* all = box.addButton(tr("Use all"), QMessageBox::AcceptRole);
    box.addButton(tr("Only the chosen one"), QMessageBox::RejectRole);
    box.setDefaultButton(all);
    box.exec();
    return box.clickedButton() == all;
}

}  // namespace lowtide::ui
