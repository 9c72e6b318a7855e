#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lowtide::ui {

/// What is known of one preset: picture, text, the files it needs, what it needs on this device.
class PresetDetails : public QWidget {
    Q_OBJECT

public:
    explicit PresetDetails(QWidget* parent = nullptr);

    /// nullptr: none is chosen.
    void setEntry(const PresetEntry* entry);
    void setNeeds(const Planned& needs);

Q_SIGNALS:
    void openAsked();
    void renameAsked();
    void removeAsked();
    void exportAsked();
    /// A missing file was clicked.
    void locateAsked(const QString& kind, const QString& value);

private:
    void showFiles(const PresetEntry& entry);
    void askFor(const QTreeWidgetItem& item);
    QPushButton* button(const char* name, const QString& text);

    QLabel* picture_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* tags_ = nullptr;
    QLabel* description_ = nullptr;
    QLabel* needs_ = nullptr;
    QLabel* problem_ = nullptr;
    QTreeWidget* files_ = nullptr;
    QPushButton* locate_ = nullptr;
    QPushButton* open_ = nullptr;
    QPushButton* rename_ = nullptr;
    QPushButton* remove_ = nullptr;
    QPushButton* export_ = nullptr;
};

}  // namespace lowtide::ui
