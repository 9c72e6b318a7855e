#include "tests/gpu/measured_rows.hpp"

#include "plugin/base/json.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/folders.hpp"

#include <QDir>
#include <QFile>

namespace lowtide::testing {

namespace {

constexpr qsizetype kMostOfErrors = 200;

}  // namespace

QString peerPython() {
    return qEnvironmentVariable("LOWTIDE_PYTHON", "python3");
}

Json peerRows(const QString& script, const QStringList& arguments) {
    const WatchedProgram peer =
        watchProgram(peerPython(), QStringList{sourcePath("tests/gpu/" + script)} + arguments);
    Json rows = peer.lines.empty()
                    ? Json()
                    : Json::parse(peer.lines.back().text.toStdString(), nullptr, false);
    if (peer.exitCode != 0 || !rows.is_array()) {
        return Json::array({{{"way", "PyTorch"}, {"refused", endOf(peer.errors).toStdString()}}});
    }
    for (Json& row : rows) {
        row["way"] = "PyTorch, " + row.at("way").get<std::string>();
    }
    for (const TimedLine& line : peer.lines) {
        if (line.text == "step") {
            rows.push_back({{"way", "PyTorch, load, warm"}, {"seconds", line.seconds}});
        }
    }
    return rows;
}

QString endOf(const QString& errors) {
    return errors.simplified().right(kMostOfErrors);
}

void addRow(Json& rows, Json row) {
    qInfo("%s", row.dump().c_str());
    rows.push_back(std::move(row));
}

bool writeRows(const QString& name, const Json& rows) {
    QFile file(buildPath("gpu/" + name + ".json"));
    const QByteArray text = QByteArray::fromStdString(rows.dump(2) + "\n");
    return QDir().mkpath(buildPath("gpu")) && file.open(QIODevice::WriteOnly) &&
           file.write(text) == text.size();
}

}  // namespace lowtide::testing
