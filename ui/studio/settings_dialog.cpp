#include "ui/studio/settings_dialog.hpp"

#include "plugin/base/units.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/memory_settings.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QPushButton>
#include <QSpinBox>

namespace lowtide::ui {

namespace {

constexpr int kSettingsWidth = 130;  ///< in steps of the rhythm

}  // namespace

SettingsDialog::SettingsDialog(Settings& settings,
                               const std::vector<std::string>& devices,
                               const QString& ownFolder,
                               QWidget* parent)
    : QDialog(parent), settings_(settings) {
    setObjectName(QStringLiteral("settings"));
    setWindowTitle(tr("Settings"));
    auto* rows = new QWidget;
    auto* form = new QFormLayout(rows);
    form->setContentsMargins(0, 0, Theme::space(2), 0);
    form->setHorizontalSpacing(Theme::space(4));
    form->setVerticalSpacing(Theme::space(3));
    addChoice(*form,
              tr("Appearance"),
              "theme",
              {{"system", tr("As the system")},
               {"light", tr("Light")},
               {"dark", tr("Dark")},
               {"light_contrast", tr("Light, high contrast")},
               {"dark_contrast", tr("Dark, high contrast")}},
              &Preferences::theme);
    addLanguage(*form);
    addChoice(*form,
              tr("Motion"),
              "motion",
              {{"system", tr("As the system")},
               {"full", tr("Full")},
               {"reduced", tr("Reduced: nothing slides, fades or blinks")}},
              &Preferences::motion);
    addScale(*form);
    addFolder(*form, ownFolder);
    addDevice(*form, devices);
    addBudget(*form);
    addChoice(*form,
              tr("Low-memory mode"),
              "lowMemory",
              {{"auto", tr("Automatic: on at 8 GiB and below")},
               {"on", tr("On: collect after every stage")},
               {"off", tr("Off")}},
              &Preferences::lowMemory);
    form->addRow(
        tr("Previews"),
        makeSwitch(tr("Show the image while it is made"), "previews", &Preferences::showsPreviews));
    addDropped(*form);
    addAttention(*form);
    QLabel* note = makeText(
        tr("Device, budget and low-memory mode apply to graphs without settings of their own."),
        "",
        this);
    note->setForegroundRole(QPalette::PlaceholderText);
    form->addRow(note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    columnIn(this, 4, {4, 4, 4, 4}, {{new ScrolledPart(rows, this), 1}, buttons});
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(Theme::space(kSettingsWidth));
    resizeToScreen(*this);
}

QComboBox* SettingsDialog::addChoice(QFormLayout& form,
                                     const QString& label,
                                     const char* name,
                                     const std::vector<std::pair<QString, QString>>& choices,
                                     QString Preferences::*field) {
    auto* box = named(name, new QComboBox(this));
    for (const auto& [value, text] : choices) {
        box->addItem(text, value);
    }
    const QString& chosen = settings_.preferences().*field;
    if (box->findData(chosen) < 0) {
        box->addItem(chosen, chosen);
    }
    box->setCurrentIndex(box->findData(chosen));
    form.addRow(label, box);
    connect(box, &QComboBox::activated, this, [this, box, field] {
        settings_.change(
            [&](Preferences& preferences) { preferences.*field = box->currentData().toString(); });
    });
    return box;
}

/// The names of languages are those that their speakers read.
void SettingsDialog::addLanguage(QFormLayout& form) {
    std::vector<std::pair<QString, QString>> choices = {{"system", tr("As the system")}};
    for (const LanguageName& language : languages()) {
        choices.emplace_back(language.code, language.name);
    }
    addChoice(form, tr("Language"), "language", choices, &Preferences::language);
}

/// Qt takes the scale of a program when it starts.
void SettingsDialog::addScale(QFormLayout& form) {
    QComboBox* box = addChoice(
        form,
        tr("Size of texts and controls"),
        "scale",
        {{"100", tr("100 %")}, {"125", tr("125 %")}, {"150", tr("150 %")}, {"200", tr("200 %")}},
        &Preferences::scale);
    box->setToolTip(tr("Of the size that the desktop asks for"));
    QLabel* later = makeText(tr("Start the studio again to see the new size."), "scaleLater", this);
    later->hide();
    form.addRow(QString(), later);
    connect(box, &QComboBox::activated, later, [later, box, first = settings_.preferences().scale] {
        later->setVisible(box->currentData().toString() != first);
    });
}

void SettingsDialog::addDevice(QFormLayout& form, const std::vector<std::string>& devices) {
    std::vector<std::pair<QString, QString>> choices = {{QString(), tr("Automatic")}};
    for (const std::string& device : devices) {
        choices.emplace_back(QString::fromStdString(device), deviceText(device));
    }
    addChoice(form, tr("Device"), "device", choices, &Preferences::device);
}

void SettingsDialog::addBudget(QFormLayout& form) {
    auto* budget = named("budget", new QLineEdit(settings_.preferences().memoryBudget, this));
    budget->setPlaceholderText(tr("Free memory less 5 %"));
    budget->setMinimumWidth(budget->fontMetrics().horizontalAdvance(budget->placeholderText()) +
                            Theme::space(6));
    QLabel* problem = makeText({}, "", this);
    problem->setForegroundRole(QPalette::BrightText);
    problem->hide();
    form.addRow(tr("Memory budget"), budget);
    form.addRow(QString(), problem);
    connect(budget, &QLineEdit::textChanged, problem, [problem](const QString& typed) {
        showText(*problem, budgetProblem(typed));
    });
    const auto keep = [this, budget] {
        const QString text = budget->text().trimmed();
        if (budgetProblem(text).isEmpty()) {
            settings_.change([&](Preferences& preferences) { preferences.memoryBudget = text; });
        }
    };
    connect(budget, &QLineEdit::editingFinished, this, keep);
    connect(this, &QDialog::finished, this, keep);
}

void SettingsDialog::addFolder(QFormLayout& form, const QString& ownFolder) {
    auto* folder = named("outputFolder", new QLineEdit(settings_.preferences().outputFolder, this));
    folder->setPlaceholderText(ownFolder);
    auto* browse = new QPushButton(tr("Choose..."), this);
    browse->setAutoDefault(false);
    folder->setAccessibleName(tr("Folder for images"));
    form.addRow(folder->accessibleName(), rowOf(2, {{folder, 1}, browse}));
    const auto keep = [this, folder] {
        settings_.change(
            [&](Preferences& preferences) { preferences.outputFolder = folder->text().trimmed(); });
    };
    connect(folder, &QLineEdit::editingFinished, this, keep);
    connect(this, &QDialog::finished, this, keep);
    connect(browse, &QPushButton::clicked, this, [this, folder, keep] {
        const QString path =
            QFileDialog::getExistingDirectory(this, tr("Folder for images"), folder->text());
        if (!path.isEmpty()) {
            folder->setText(path);
            keep();
        }
    });
}

QCheckBox* SettingsDialog::makeSwitch(const QString& text,
                                      const char* name,
                                      bool Preferences::*field) {
    auto* box = named(name, new QCheckBox(text, this));
    box->setChecked(settings_.preferences().*field);
    connect(box, &QCheckBox::toggled, this, [this, field](bool isOn) {
        settings_.change([&](Preferences& preferences) { preferences.*field = isOn; });
    });
    return box;
}

void SettingsDialog::addAttention(QFormLayout& form) {
    const Preferences& preferences = settings_.preferences();
    QCheckBox* notify = makeSwitch(tr("Notify me after"), "notifies", &Preferences::notifiesOfRuns);
    notify->setToolTip(tr("Only while another window is in front"));
    auto* seconds = named("notifyAfter", new QSpinBox(this));
    seconds->setAccessibleName(tr("Seconds that a run takes at least"));
    seconds->setRange(0, kMostNotifySeconds);
    seconds->setSuffix(tr(" s"));
    seconds->setValue(preferences.notifyAfterSeconds);
    seconds->setEnabled(preferences.notifiesOfRuns);
    seconds->setKeyboardTracking(false);
    form.addRow(tr("When a run ends"), rowOf(2, {notify, seconds, Cell::spring()}));
    form.addRow(tr("While runs are at work"),
                makeSwitch(tr("Keep the computer awake"), "keepsAwake", &Preferences::keepsAwake));
    connect(notify, &QCheckBox::toggled, seconds, &QSpinBox::setEnabled);
    connect(seconds, &QSpinBox::valueChanged, this, [this](int value) {
        settings_.change([&](Preferences& changed) { changed.notifyAfterSeconds = value; });
    });
}

void SettingsDialog::addDropped(QFormLayout& form) {
    auto* box = named("dropped", new QComboBox(this));
    box->addItem(tr("Ask"), static_cast<int>(DroppedImage::Ask));
    box->addItem(tr("Open its graph"), static_cast<int>(DroppedImage::OpenGraph));
    box->addItem(tr("Use it as input"), static_cast<int>(DroppedImage::UseAsInput));
    box->setCurrentIndex(box->findData(static_cast<int>(settings_.preferences().droppedImage)));
    form.addRow(tr("A dropped image with a graph"), box);
    connect(box, &QComboBox::activated, this, [this, box] {
        settings_.change([&](Preferences& preferences) {
            preferences.droppedImage = static_cast<DroppedImage>(box->currentData().toInt());
        });
    });
}

}  // namespace lowtide::ui
