#pragma once

#include "ui/bridge/settings.hpp"

#include <QComboBox>
#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

#include <string>
#include <vector>

class QCheckBox;

namespace lowtide::ui {

/// What holds for every graph. A change counts at once.
class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    /// `settings` must outlive it; `devices` are offered, `ownFolder` is where images go unless
    /// something else is chosen.
    SettingsDialog(Settings& settings,
                   const std::vector<std::string>& devices,
                   const QString& ownFolder,
                   QWidget* parent = nullptr);

private:
    QComboBox* addChoice(QFormLayout& form,
                         const QString& label,
                         const char* name,
                         const std::vector<std::pair<QString, QString>>& choices,
                         QString Preferences::*field);
    void addLanguage(QFormLayout& form);
    void addScale(QFormLayout& form);
    void addDevice(QFormLayout& form, const std::vector<std::string>& devices);
    void addBudget(QFormLayout& form);
    void addFolder(QFormLayout& form, const QString& ownFolder);
    void addDropped(QFormLayout& form);
    QCheckBox* makeSwitch(const QString& text, const char* name, bool Preferences::*field);
    void addAttention(QFormLayout& form);

    Settings& settings_;
};

}  // namespace lowtide::ui
