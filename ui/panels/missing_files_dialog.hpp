#pragma once

#include <QDialog>
#include <QString>

#include <map>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace lowtide::ui {

/// A file of the user's that could take the place of a missing one.
struct FittingFile {
    QString value;  ///< as the graph names it
    QString label;
    QString detail;       ///< the family; may be empty
    bool isSure = false;  ///< the same file, or one of the kind and family that are wanted

    bool operator==(const FittingFile&) const = default;
};

/// A file that a graph names and nobody finds.
struct WantedFile {
    std::string value;
    QString what;                      ///< which kind it must be, and who names it
    std::vector<FittingFile> fitting;  ///< the best first
    bool isSearchable = false;         ///< its hash is known, and models have none yet

    bool operator==(const WantedFile&) const = default;
};

/// New paths by what is missing.
using ChosenFiles = std::map<std::string, QString>;

/// All missing files of a graph at once, a row each: what it must be, the files of the user's that
/// fit, and ways to find it elsewhere. A row remains where it is when its file was found; when all
/// are, the dialog closes. Made for show(): the graph can be worked on meanwhile.
class MissingFilesDialog : public QDialog {
    Q_OBJECT

public:
    explicit MissingFilesDialog(QWidget* parent = nullptr);

    /// Those that are missing now.
    void setFiles(const std::vector<WantedFile>& files);
    /// Brings the row of that file into sight, with the keyboard.
    void focusFile(const std::string& value);

Q_SIGNALS:
    /// The graph is to name these.
    void useAsked(const lowtide::ui::ChosenFiles& chosen);
    /// The user will state where it is.
    void locateAsked(const QString& value);
    /// Look for it by its hash.
    void searchAsked(const QString& value);

private:
    struct Row {
        WantedFile file;
        bool isMissing = true;
        QLabel* what = nullptr;
        QComboBox* fitting = nullptr;
        QPushButton* use = nullptr;
        QPushButton* search = nullptr;
        QPushButton* locate = nullptr;
    };

    void addRow(const WantedFile& file);
    void connectRow(size_t index);
    void fill(Row& row);
    void showState();
    [[nodiscard]] ChosenFiles chosenIn(const Row& row) const;

    std::vector<Row> rows_;
    QVBoxLayout* column_ = nullptr;
    QPushButton* all_ = nullptr;
};

}  // namespace lowtide::ui
