import type en from "@extras/mcp_servers/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();
